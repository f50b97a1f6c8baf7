package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
)

// FakeNotice is the first line of the first answer of the fake model in a
// conversation, so that its answers are not mistaken for a language model's.
const FakeNotice = "[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\n"

// fakeNames are the models of the built-in provider.
var fakeNames = []string{"fake", "fake-mini"}

// fakePace is the pause between words of a slow answer: long enough to press
// Ctrl-C.
const fakePace = 50 * time.Millisecond

// fake is the built-in model. Its requests use the same provider code as
// requests to a real server, over in-memory connections.
type fake struct {
	*openai.Provider
	end func()
}

func newFake() fake {
	client, end := fakemodel.New(fakemodel.WithPace(fakePace)).Pipe()
	return fake{openai.New(openai.Config{BaseURL: "http://fake/v1", Key: "none", HTTP: client}), end}
}

// Generate implements llm.Model. It puts the notice before the first text of a
// conversation.
func (f fake) Generate(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	shown := hasNotice(req.Messages)
	return f.Provider.Generate(ctx, req, func(b bellcord.Body) error {
		if delta, ok := b.(bellcord.TextDelta); ok && !shown {
			shown = true
			delta.Text = FakeNotice + delta.Text
			b = delta
		}
		return emit(b)
	})
}

// hasNotice reports whether an answer in the messages has the notice.
func hasNotice(messages []bellcord.Message) bool {
	notice := strings.TrimSpace(FakeNotice)
	return slices.ContainsFunc(messages, func(m bellcord.Message) bool {
		return m.Role == bellcord.RoleAssistant && strings.HasPrefix(m.Text, notice)
	})
}

// AfterClose implements llm.Provider: nothing is billed.
func (fake) AfterClose() llm.AfterClose { return llm.BillingStops }

// Close closes the provider and ends the model.
func (f fake) Close() {
	f.Provider.Close()
	f.end()
}
