// Package cluster makes several processes on one store a cluster: a stop, a
// prompt, a viewer may land on any node, whichever has the turn. The store is
// the truth and NATS carries what must be fast. It promises nothing durable, and
// nothing durable is asked of it: what it loses, doubles or reorders is found in
// the store, only later.
//
// A node has two subjects and never one for a session:
//
//	PREFIX.node.ID.ctl  what is asked of this node
//	PREFIX.node.ID.ev   events that others made durable and somebody here watches
//	PREFIX.all          what is said to every node: stops, and who watches what
//
// Every message is signed with a key that the nodes have from the store (see
// signature.go), and one that is forged, altered, old or received before is
// refused (guard.go). That loses nothing: the store has what it carries.
//
// A stop goes to all nodes at once, beside its row in the store: whoever has the
// turn tells it, and from then on sends its events to who asked, its end among
// them. Nobody has to know where the turn is, also while the store is down.
//
// A node says which sessions are watched at it, by hashes, when that begins and
// every few seconds; the others send it what they commit of those, batched, and
// nothing else. Only committed events are sent.
//
// A prompt goes to the node that the session is at home with, which is the one
// that had its newest turn: the line of those that wait is there, and the hosted
// agent's process. Where that node does not answer, the prompt is taken here,
// and the store sees to it that turns of a session do not overlap.
package cluster
