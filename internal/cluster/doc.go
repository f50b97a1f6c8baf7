// Package cluster connects several processes on one store: a stop, a prompt or
// a viewer may arrive at any node, regardless of which node has the turn. The
// store is authoritative, and NATS only makes delivery fast. No guarantee
// depends on NATS: messages that it loses, duplicates or reorders are found in
// the store, only later.
//
// Subjects are per node, never per session:
//
//	PREFIX.node.ID.ctl  notices and requests for this node
//	PREFIX.node.ID.ev   committed events of sessions that are watched here
//	PREFIX.all          notices for all nodes: stops, and watched sessions
//
// Every message is signed with a key that the nodes read from the store (see
// signature.go). A message that is forged, altered, old or received before is
// refused (guard.go). Nothing is lost: the store contains its content.
//
// A stop is sent to all nodes at once, in parallel with its row in the store.
// The node that has the turn stops it, and from then on sends the session's
// events, including the end of the turn, to the node that sent the stop. No
// node needs to find out where the turn is, so this also works while the store
// is down.
//
// A node announces the sessions that are watched at it, as hashes, when a
// watch begins and every few seconds. The other nodes send it the events of
// these sessions that they commit, in batches, and nothing else. Only
// committed events are sent.
//
// A prompt is sent to the session's home node, which is the node of its newest
// turn: it has the queue of the session and the process of a hosted agent. If
// that node does not answer, the prompt is accepted here, and the store makes
// sure that turns of a session do not overlap.
package cluster
