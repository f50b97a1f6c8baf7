// Command without links an HTTP client, which it only uses with an argument.
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
