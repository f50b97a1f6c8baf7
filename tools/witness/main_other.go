//go:build !linux || !amd64

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "witness: needs Linux on x86-64")
	os.Exit(125)
}
