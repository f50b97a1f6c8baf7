package hub_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

// second opens another hub on the fixture's directory, as in another process.
func (h fixture) second(dir string, opts hub.Options) *hub.Hub {
	h.t.Helper()
	store, err := sqlite.Open(h.t.Context(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	other, err := hub.Open(h.t.Context(), store, script(nil), opts)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := errors.Join(other.Close(context.Background()), store.Close()); err != nil {
			h.t.Error(err)
		}
	})
	return other
}

// A command of a turn must not answer the turn's questions.
func TestAnswer_InAnotherProcessThatMayNotForward_IsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := openAt(t, dir, script(func(ctx context.Context, w *hub.Work) error {
			_, err := w.AskForm(ctx, where)
			return err
		}), hub.Options{})
		refused := errors.New("started by a turn")
		other := h.second(dir, hub.Options{MayForward: func() error { return refused }})
		turn := h.prompt("go")
		synctest.Wait()
		if err := other.Answer(turn.ID, "q", accepts("dev"), "bob"); !errors.Is(err, refused) {
			t.Errorf("answered: %v", err)
		}
		if len(turn.Questions()) != 1 {
			t.Error("the question is not open any more")
		}
		h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson}))
		<-turn.Settled()
	})
}

func TestAnswer_InAnotherProcess_IsCheckedAndReachesTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var got bellcord.Reply
		h := openAt(t, dir, script(func(ctx context.Context, w *hub.Work) (err error) {
			got, err = w.AskForm(ctx, where)
			return err
		}), hub.Options{})
		other := h.second(dir, hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		var invalid *bellcord.InvalidReplyError
		if err := other.Answer(turn.ID, "q", accepts("moon"), "bob"); !errors.As(err, &invalid) {
			t.Errorf("an answer that does not fit: %v", err)
		}
		for _, question := range []string{"", "p", strings.Repeat("q", 10_000), "\x00", "\xff"} {
			if err := other.Answer(turn.ID, question, accepts("dev"), "bob"); !errors.Is(err, bellcord.ErrNoQuestion) {
				t.Errorf("question %.10q: %v", question, err)
			}
		}
		for range 2 { // the second is not needed, and changes nothing
			if err := other.Answer(turn.ID, "q", accepts("dev"), strings.Repeat("b", 10_000)+"\xff\x00"); err != nil {
				t.Fatal(err)
			}
		}
		<-turn.Settled()
		if string(got.Values["env"]) != `"dev"` || turn.Receipt().End != bellcord.EndDone {
			t.Errorf("got %+v, %s", got, turn.Receipt().End)
		}
		if ev := h.answered("q"); ev == nil || !strings.HasPrefix(ev.By, "bbb") {
			t.Errorf("recorded %+v", ev)
		}
		for _, id := range []bellcord.TurnID{turn.ID, bellcord.NewTurnID(), "", "\xff"} {
			if err := other.Answer(id, "q", accepts("dev"), "bob"); !errors.Is(err, bellcord.ErrTurnEnded) {
				t.Errorf("turn %q: %v", id, err)
			}
		}
	})
}

func TestLaw30_AnswerInAnotherProcessAfterAStop_IsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		stopped := make(chan struct{})
		h := openAt(t, dir, script(func(ctx context.Context, w *hub.Work) error {
			_, err := w.AskForm(ctx, where)
			<-stopped
			return err
		}), hub.Options{})
		other := h.second(dir, hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson}))
		synctest.Wait()
		if err := other.Answer(turn.ID, "q", accepts("dev"), "bob"); !errors.Is(err, bellcord.ErrTurnEnded) {
			t.Errorf("a late answer: %v", err)
		}
		close(stopped)
		<-turn.Settled()
		if r := turn.Receipt(); len(r.WithdrawnQuestions) != 1 || h.answered("q") != nil {
			t.Errorf("the receipt lists %v, recorded %+v", r.WithdrawnQuestions, h.answered("q"))
		}
	})
}

// guarded is a question that only a person with the scope admin can allow.
var guarded = bellcord.Question{ID: "q", Text: "Run?", Requires: bellcord.ScopeAdmin, Choices: []bellcord.Choice{
	{ID: "allow", Text: "Allow", Kind: "allow_once"}, {ID: "reject", Text: "Reject", Kind: "reject_once"},
}}

func TestAnswer_ScopeIsMissing_IsRefusedHereAndInAnotherProcess(t *testing.T) {
	t.Parallel()
	prompt, admin := []bellcord.Scope{bellcord.ScopePrompt}, []bellcord.Scope{bellcord.ScopeAdmin}
	for name, last := range map[string]bellcord.Reply{
		"allowed with the scope":     {Choice: "allow", Scopes: admin},
		"rejected without the scope": {Choice: "reject", Scopes: prompt},
	} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, elsewhere %t", name, elsewhere), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					dir := t.TempDir()
					var got bellcord.Reply
					h := openAt(t, dir, script(func(ctx context.Context, w *hub.Work) (err error) {
						got, err = w.AskForm(ctx, guarded)
						return err
					}), hub.Options{})
					answers := h.Hub
					if elsewhere {
						answers = h.second(dir, hub.Options{})
					}
					turn := h.prompt("go")
					synctest.Wait()
					for _, scopes := range [][]bellcord.Scope{nil, prompt} {
						for _, choice := range []string{"allow", "other"} {
							if err := answers.Answer(turn.ID, "q", bellcord.Reply{Choice: choice, Scopes: scopes}, "bob"); !errors.Is(err, bellcord.ErrAnswerScope) {
								t.Errorf("%s with %v: %v", choice, scopes, err)
							}
						}
					}
					synctest.Wait()
					if len(turn.Questions()) != 1 {
						t.Fatal("the question is not open any more")
					}
					if err := answers.Answer(turn.ID, "q", last, "bob"); err != nil {
						t.Fatal(err)
					}
					<-turn.Settled()
					if got.Choice != last.Choice {
						t.Errorf("the agent got %+v", got)
					}
				})
			})
		}
	}
}
