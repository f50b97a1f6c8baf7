// With is the program without, plus the SDK, which it does not use by default.
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
