// Command embed is a complete program around a hub: it opens a SQLite store in the directory data,
// runs a custom agent, stops the turn after a second and prints the receipt. Run it with go run .
//
// A real agent passes its context to the model and to its tools, so that a stop ends them
// immediately.
package main
