package hub_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestClear_Title_IsMadeAgainUnlessAPersonHasSetIt(t *testing.T) {
	t.Parallel()
	rename := func(h fixture) {
		if _, err := h.Configure(h.session, bellcord.SessionUpdated{Title: "Cart"}); err != nil {
			t.Error(err)
		}
	}
	for name, c := range map[string]struct {
		prepare           func(h fixture)
		cleared, prompted string
	}{
		"made from the prompt":         {func(fixture) {}, "", "the second"},
		"set by a person":              {rename, "Cart", "Cart"},
		"set by an agent":              {func(h fixture) { <-h.prompt("title Totals").Settled() }, "", "the second"},
		"set by a person after a turn": {func(h fixture) { <-h.prompt("title Totals").Settled(); rename(h) }, "Cart", "Cart"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			h := openAt(t, dir, script(setTitle), hub.Options{})
			<-h.prompt("the first").Settled()
			c.prepare(h)
			if _, err := h.Clear(h.session, bellcord.Cause{Kind: bellcord.CausePerson}); err != nil {
				t.Fatal(err)
			}
			if got := h.title(t); got != c.cleared {
				t.Errorf("after the clear the title is %q, want %q", got, c.cleared)
			}
			<-h.prompt("the second").Settled()
			if got := h.title(t); got != c.prompted {
				t.Errorf("after the next prompt the title is %q, want %q", got, c.prompted)
			}
			<-h.prompt("the third").Settled()
			if got := h.title(t); got != c.prompted {
				t.Errorf("after one more prompt the title is %q, want %q", got, c.prompted)
			}
		})
	}
}

// setTitle is an agent that sets the title that a prompt such as "title Totals"
// names.
func setTitle(_ context.Context, w *hub.Work) error {
	if title, is := strings.CutPrefix(w.Prompt.Text, "title "); is {
		w.SetTitle(title)
	}
	return nil
}

// title returns the session's title. The session is closed first, so that the title
// is the stored one.
func (h fixture) title(t *testing.T) string {
	t.Helper()
	if _, err := h.CloseSession(t.Context(), h.session, bellcord.Cause{}); err != nil {
		t.Fatal(err)
	}
	s, err := h.OpenSession(t.Context(), h.session)
	if err != nil {
		t.Fatal(err)
	}
	return s.Title
}
