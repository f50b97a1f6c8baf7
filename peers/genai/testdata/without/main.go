// Without is a program that links net/http and does not use it by default.
package main

import (
	"net/http"
	"os"
)

func main() {
	if len(os.Args) > 1 {
		_, _ = http.Get(os.Args[1])
	}
}
