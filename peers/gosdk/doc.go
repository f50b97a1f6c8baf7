// Package gosdk keeps the measurement behind a decision: Bellcord has a
// JSON-RPC connection of its own because the Go SDK's loses cancels. It is a
// module of its own, so that the SDK is no dependency of Bellcord.
//
// The SDK hands every request to a goroutine and every notification to a worker.
// A prompt can be cancelled from the moment its goroutine has got as far as
// registering it; a cancel whose worker is there first finds nothing, and
// nothing remembers it.
package gosdk
