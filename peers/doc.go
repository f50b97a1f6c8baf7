// Package peers tries the built binary with real clients of the Agent Client
// Protocol: the official TypeScript SDK and acpx. It has no code of its own,
// only tests; peers/run installs the clients and runs them.
//
// Between each client and Bellcord sits a wiretap, the test binary itself, that
// passes every byte on as it came and writes every frame down. After each
// scenario the frames are held against the official schema, which comes with
// the SDK and is not kept here, and against what a stop promises: see audit_test.go.
// The model is the fake one, which checks every request and notes when the agent
// left.
//
// The tests read two variables, both set by peers/run:
//
//	BELLCORD_PEERS  the folder that holds node_modules; else $BELLCORD_CACHE/peers, else this one
//	BELLCORD_BIN    the binary to try; else it is built
//
// Folder gosdk is a module of its own. It measures why Bellcord does not stand
// on the Go SDK's connection.
package peers
