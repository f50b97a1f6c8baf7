// Command with is command without plus the SDK, which it only uses with an
// argument.
package main

import (
	"context"
	"net/http"
	"os"

	"google.golang.org/genai"
)

func main() {
	if len(os.Args) > 1 {
		_, _ = http.Get(os.Args[1])
		client, err := genai.NewClient(context.Background(), nil)
		if err != nil {
			os.Exit(1)
		}
		for range client.Models.GenerateContentStream(context.Background(), os.Args[1], nil, nil) {
		}
	}
}
