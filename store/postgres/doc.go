// Package postgres implements store.Store on PostgreSQL, for nodes on several
// machines. Each process is a node with its own ID and a lease, which it renews
// by the database's clock. When a lease has expired, another node may take over
// the turns of that node. The lease only permits this. What decides is the node's
// row, because its deletion fences the node permanently, and the fence that every
// write of a turn carries.
//
// A commit is one transaction. It first takes all its locks, in the same order on
// all nodes: its own node, the IDs of turns that may be about to arrive, then the
// sessions by ID. Only the holder of a session's lock writes to the session, so
// the rest of the commit works as with a single writer, and commits of two nodes
// do not deadlock. The last round trip inserts the events, updates the newest
// sequence numbers and commits.
//
// The package requires PostgreSQL 14 or later. A connection pooler must use
// session pooling.
package postgres
