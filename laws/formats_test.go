package laws_test

import (
	"flag"
	"net/http"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/llm/responses"
)

var everyFormat = flag.Bool("formats", false, "hold every law in every wire format")

// formats lists the wire formats of the providers. A law about models holds in
// each of them.
var formats = []string{"chat", "responses", "anthropic", "gemini"}

// providersOn returns the providers for a fake model by wire format.
func providersOn(url string, client *http.Client) map[string]llm.Provider {
	return map[string]llm.Provider{
		"chat":      openai.New(openai.Config{BaseURL: url + "/v1", Key: "x", HTTP: client}),
		"responses": responses.New(responses.Config{BaseURL: url + "/v1", Key: "x", HTTP: client, Effort: "low"}),
		"anthropic": anthropic.New(anthropic.Config{BaseURL: url, Key: "x", HTTP: client, Thinking: 2048}),
		"gemini":    gemini.New(gemini.Config{BaseURL: url, Key: "x", HTTP: client}),
	}
}
