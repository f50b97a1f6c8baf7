// Command runner is the program of docs/tutorial-go.md: an agent that runs each prompt as a shell
// command, a stop, and the receipt with the command's processes. Run it with go run .
package main
