// Package postgres keeps Bellcord's log in PostgreSQL, for nodes on several
// machines. Each process is a node with an id of its own and a lease, which it
// renews by the database's clock; a node whose lease has run out may be taken
// for dead by the others. The lease only permits: what decides is the node's
// row, whose removal fences it off for good, and the fence that every write of a
// turn carries.
//
// A commit is one transaction that takes its locks before it does anything, in
// one order for all nodes: its own node, the ids of turns that may be coming,
// then the sessions by id. Whoever holds a session's lock is the only one that
// writes to it, so all that follows is as simple as with a single writer, and
// two nodes' commits do not deadlock. Its last round trip adds the events, moves
// the ends of the logs and commits.
//
// PostgreSQL 14 or later is needed, and connections that are a process's own: a
// pooler between them must keep sessions apart.
package postgres
