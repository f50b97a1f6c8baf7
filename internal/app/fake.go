package app

import (
	"context"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
)

// FakeNotice is the first line of every answer of the fake model, so that nobody
// takes it for a language model.
const FakeNotice = "[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\n"

// fakeNames are the models that the built-in provider has.
var fakeNames = []string{"fake", "fake-mini"}

// fakePace is the pause between words if the prompt asks for a slow answer: long
// enough to press Ctrl-C.
const fakePace = 50 * time.Millisecond

// fake is the built-in model. Requests go through the same provider as those to a
// real server, over connections in memory.
type fake struct {
	*openai.Provider
	end func()
}

func newFake() fake {
	client, end := fakemodel.New(fakemodel.WithPace(fakePace)).Pipe()
	return fake{openai.New(openai.Config{BaseURL: "http://fake/v1", Key: "none", HTTP: client}), end}
}

// Ask implements llm.Model. It adds the notice to the first text of a turn.
func (f fake) Ask(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	told := hasSpoken(req.Messages)
	return f.Provider.Ask(ctx, req, func(b bellcord.Body) error {
		if said, ok := b.(bellcord.TextDelta); ok && !told {
			told = true
			said.Text = FakeNotice + said.Text
			b = said
		}
		return emit(b)
	})
}

// hasSpoken reports whether the model has answered with text since the last prompt.
func hasSpoken(messages []bellcord.Message) bool {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Role == bellcord.RoleUser:
			return false
		case m.Role == bellcord.RoleAssistant && m.Text != "":
			return true
		}
	}
	return false
}

// AfterClose implements llm.Provider: nothing is billed.
func (fake) AfterClose() llm.AfterClose { return llm.BillingStops }

// Close closes the provider and ends the model.
func (f fake) Close() {
	f.Provider.Close()
	f.end()
}
