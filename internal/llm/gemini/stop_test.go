package gemini_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/wire"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

var errStopped = llmtest.ErrStopped

var stops = llmtest.Provider{
	New: func(root string, client *http.Client) llm.Provider {
		return gemini.New(gemini.Config{BaseURL: root, Key: "key", HTTP: client})
	},
	Word:   "data: " + `{"candidates":[{"content":{"parts":[{"text":"word "}]}}]}` + "\r\n\r\n",
	Silent: map[string]string{"between two calls": `[slowargs 1h] [tool look {}] [tool look {"path":"some/where","n":12345}]`},
}

func TestLaw16_Stop_EndsRequestImmediately(t *testing.T) {
	t.Parallel()
	llmtest.Stops(t, stops)
}

// fakeInMemory returns a provider for the fake model on an in-memory network,
// for use in a synctest bubble.
func fakeInMemory(t *testing.T) (p *gemini.Provider, closed chan time.Time) {
	t.Helper()
	client, closed := llmtest.Fake(t)
	return gemini.New(gemini.Config{BaseURL: "http://fake", Key: "key", HTTP: client}), closed
}

// TestAsk_Stop_WritesNothingToStandardLog is not parallel, because the standard
// log is global.
func TestAsk_Stop_WritesNothingToStandardLog(t *testing.T) {
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	root, sent, left := llmtest.Listen(t, llmtest.Headers+stops.Word)
	p := gemini.New(gemini.Config{BaseURL: root, Key: "key"})
	defer p.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-sent; cancel(errStopped) }()
	if _, err := p.Generate(ctx, prompt("hello"), ignore); !same(err, errStopped) {
		t.Errorf("error %v", err)
	}
	<-left
	p, _ = fake(t)
	if _, err := p.Generate(t.Context(), prompt("[cut after 2] [fast 5]"), ignore); !errors.Is(err, wire.ErrCutOff) {
		t.Errorf("error %v", err)
	}
	if logged.Len() > 0 {
		t.Errorf("the log was told %q", logged.String())
	}
}

// recordingInto stores the request body in sent and returns an empty answer.
func recordingInto(sent *string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent = string(body)
		saying(finish("STOP"))(w, r)
	}
}
