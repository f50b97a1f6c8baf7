// Package gosdk contains the measurement behind a decision: Bellcord has a separate implementation
// of JSON-RPC connections because that of the Go SDK loses cancels. It is a separate module, so
// that Bellcord does not depend on the SDK.
//
// The SDK passes every request to a goroutine and every notification to a worker. A prompt can be
// cancelled from the moment its goroutine has registered it. If the worker handles a cancel
// earlier, the cancel finds no prompt and is dropped.
package gosdk
