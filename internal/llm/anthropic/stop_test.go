package anthropic_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

var errStopped = llmtest.ErrStopped

var stops = llmtest.Provider{
	New: func(root string, client *http.Client) llm.Provider {
		return anthropic.New(anthropic.Config{BaseURL: root, Key: "key", HTTP: client})
	},
	Opening: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n" +
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\"}}\n\n",
	Word: "event: content_block_delta\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}` + "\n\n",
}

func TestLaw16_Stop_EndsRequestImmediately(t *testing.T) {
	t.Parallel()
	llmtest.Stops(t, stops)
}

// fakeInMemory returns a provider for the fake model on an in-memory network,
// for use in a synctest bubble.
func fakeInMemory(t *testing.T) (p *anthropic.Provider, closed chan time.Time) {
	t.Helper()
	client, closed := llmtest.Fake(t)
	return anthropic.New(anthropic.Config{BaseURL: "http://fake", Key: "key", HTTP: client}), closed
}
