package responses_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/responses"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

var errStopped = llmtest.ErrStopped

var stops = llmtest.Provider{
	New: func(root string, client *http.Client) llm.Provider {
		return responses.New(responses.Config{BaseURL: root + "/v1", Key: "key", HTTP: client})
	},
	Word:   "event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","output_index":0,"delta":"word "}` + "\n\n",
	Silent: map[string]string{"between thinking and words": "[think 3 0s] [hang after 0] [fast 1]"},
}

func TestLaw16_Stop_EndsRequestImmediately(t *testing.T) {
	t.Parallel()
	llmtest.Stops(t, stops)
}

// fakeInMemory returns a provider for the fake model on an in-memory network,
// for use in a synctest bubble.
func fakeInMemory(t *testing.T) (p *responses.Provider, closed chan time.Time) {
	t.Helper()
	client, closed := llmtest.Fake(t)
	return responses.New(responses.Config{BaseURL: "http://fake/v1", Key: "key", HTTP: client}), closed
}
