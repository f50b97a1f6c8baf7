// Package commitlog makes ops durable in group commits and lets readers follow the
// events of a session. The hub appends through a Writer (Write, Sync, Seal), queues
// every other op with Journal.Put, and reads with Follow.
package commitlog
