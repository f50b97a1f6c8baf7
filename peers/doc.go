// Package peers tests the built binary with real clients of the Agent Client Protocol: the official
// TypeScript SDK and acpx. It contains only tests;
// peers/run installs the clients and runs them.
//
// Between each client and Bellcord is a wiretap, the test binary itself, that forwards every byte
// unchanged and records every frame. After each scenario the frames are checked against the
// official schema, which comes with the SDK and is not kept here, and against the guarantees of a
// stop: see audit_test.go. The model is the fake one, which checks every request and records when
// the agent disconnected.
//
// The tests read two variables, which peers/run sets:
//
//	BELLCORD_PEERS  the folder with node_modules (default $BELLCORD_CACHE/peers, or this folder)
//	BELLCORD_BIN    the binary to test (default: it is built)
package peers
