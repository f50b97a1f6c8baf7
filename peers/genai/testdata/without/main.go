// Without is a program that can speak HTTP and is not asked to.
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
