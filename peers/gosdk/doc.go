// Package gosdk contains the measurement behind a decision: Bellcord has its
// own JSON-RPC connection because that of the Go SDK loses cancels. It is a
// separate module, so that Bellcord does not depend on the SDK.
//
// The SDK starts a goroutine for every request and passes every notification
// to a worker. A prompt can be cancelled after its goroutine has registered
// it. If the worker handles the cancel first, it finds no prompt, and the
// cancel is lost.
package gosdk
