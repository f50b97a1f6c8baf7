package main

import (
	"context"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
)

// fakeSays is the first line of every answer, so that nobody takes it for a
// language model's.
const fakeSays = "[fake model: no AI, it repeats what it is told. A real one: set a key, then bellcord init --force]\n"

// fakePace is between words where the prompt asks for slow ones: time enough to
// press Ctrl-C.
const fakePace = 50 * time.Millisecond

// fake is the model that is built in. It is asked as a server would be, over
// connections that exist in memory only: what is tried with it is the real path.
type fake struct {
	*openai.Provider
	end func()
}

func newFake() fake {
	client, end := fakemodel.New(fakemodel.WithPace(fakePace)).Pipe()
	return fake{openai.New(openai.Config{BaseURL: "http://fake/v1", Key: "none", HTTP: client}), end}
}

// Ask implements llm.Model. The first line is said once a turn, before anything
// else that is said.
func (f fake) Ask(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	told := hasSpoken(req.Messages)
	return f.Provider.Ask(ctx, req, func(b bellcord.Body) error {
		if said, ok := b.(bellcord.Said); ok && !told {
			told = true
			said.Text = fakeSays + said.Text
			b = said
		}
		return emit(b)
	})
}

// hasSpoken reports whether the model said anything since the last prompt.
func hasSpoken(messages []bellcord.Message) bool {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Role == bellcord.User:
			return false
		case m.Role == bellcord.Assistant && m.Text != "":
			return true
		}
	}
	return false
}

// AfterClose implements llm.Provider: there is nobody to bill.
func (fake) AfterClose() llm.AfterClose { return llm.BillingStops }

// Close ends the model, too.
func (f fake) Close() {
	f.Provider.Close()
	f.end()
}
