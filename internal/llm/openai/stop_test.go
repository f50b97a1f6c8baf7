package openai_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

var errStopped = llmtest.ErrStopped

var stops = llmtest.Provider{
	New: func(root string, client *http.Client) llm.Provider {
		return openai.New(openai.Config{BaseURL: root + "/v1", Key: "key", HTTP: client})
	},
	Word: "data: " + `{"choices":[{"delta":{"content":"word "}}]}` + "\n\n",
}

func TestLaw16_Stop_EndsRequestImmediately(t *testing.T) {
	t.Parallel()
	llmtest.Stops(t, stops)
}

// fakeInMemory returns a provider for the fake model on an in-memory network,
// for use in a synctest bubble.
func fakeInMemory(t *testing.T) (p *openai.Provider, closed chan time.Time) {
	t.Helper()
	client, closed := llmtest.Fake(t)
	return openai.New(openai.Config{BaseURL: "http://fake/v1", Key: "key", HTTP: client}), closed
}
