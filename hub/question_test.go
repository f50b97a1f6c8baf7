package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

var where = bellcord.Question{ID: "q", Text: "Where?", Fields: []bellcord.Field{
	{Name: "env", Type: bellcord.FieldString, Required: true, Options: []bellcord.Option{{Value: "dev"}, {Value: "prod"}}},
	{Name: "count", Type: bellcord.FieldInteger, Default: json.RawMessage(`1`)},
}}

// accepts returns an answer with a value for env.
func accepts(env string) bellcord.Reply {
	return bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{"env": json.RawMessage(`"` + env + `"`)}}
}

// answered returns the event that closed the question, or nil.
func (h fixture) answered(question string) *bellcord.QuestionAnswered {
	h.t.Helper()
	var found *bellcord.QuestionAnswered
	for _, ev := range h.events() {
		if b, is := ev.Body.(bellcord.QuestionAnswered); is && b.Question == question {
			found = &b
		}
	}
	return found
}

func TestAnswer_ValuesThatDoNotFit_LeaveTheQuestionOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got bellcord.Reply
		h := open(t, script(func(ctx context.Context, w *hub.Work) (err error) {
			got, err = w.AskForm(ctx, where)
			return err
		}), hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		if open := turn.Questions(); len(open) != 1 || len(open[0].Choices) != 2 {
			t.Fatalf("open: %+v", open)
		}
		var invalid *bellcord.InvalidReplyError
		for _, wrong := range []bellcord.Reply{accepts("test"), {Choice: "accept"}, {Choice: "yes"}, {Choice: bellcord.ChoiceWithdrawn}} {
			if err := h.Answer(turn.ID, "q", wrong, "anna"); !errors.As(err, &invalid) {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
		if len(turn.Questions()) != 1 {
			t.Fatal("a wrong answer closed the question")
		}
		if err := h.Answer(turn.ID, "q", accepts("prod"), "anna"); err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		want := map[string]json.RawMessage{"env": json.RawMessage(`"prod"`), "count": json.RawMessage(`1`)}
		if got.Choice != "accept" || !reflect.DeepEqual(got.Values, want) {
			t.Errorf("the agent received %+v", got)
		}
		if ev := h.answered("q"); ev == nil || ev.By != "anna" || !reflect.DeepEqual(ev.Values, want) {
			t.Errorf("recorded %+v", ev)
		}
	})
}

func TestAskForm_SecretField_OpensNoQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failed error
		h := open(t, script(func(ctx context.Context, w *hub.Work) error {
			_, failed = w.AskForm(ctx, bellcord.Question{Text: "?", Fields: []bellcord.Field{{Name: "api_key", Type: bellcord.FieldString}}})
			return nil
		}), hub.Options{})
		<-h.prompt("go").Settled()
		var secret *bellcord.SecretFieldError
		if !errors.As(failed, &secret) || secret.Field != "api_key" {
			t.Errorf("%v", failed)
		}
		for _, ev := range h.events() {
			if ev.Body.Kind() == "question_opened" {
				t.Errorf("opened %+v", ev.Body)
			}
		}
	})
}

func TestLaw30_StopWithOpenForm_WithdrawsItAndRejectsLateAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failed error
		h := open(t, script(func(ctx context.Context, w *hub.Work) error {
			_, failed = w.AskForm(ctx, where)
			return failed
		}), hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson}))
		<-turn.Settled()
		if r := turn.Receipt(); !reflect.DeepEqual(r.WithdrawnQuestions, []string{"q"}) {
			t.Errorf("withdrawn %v", r.WithdrawnQuestions)
		}
		if err := h.Answer(turn.ID, "q", accepts("dev"), "late"); !errors.Is(err, bellcord.ErrTurnEnded) {
			t.Errorf("a late answer: %v", err)
		}
		var cause *bellcord.Cause
		if !errors.As(failed, &cause) || h.answered("q") != nil {
			t.Errorf("the agent received %v; recorded %+v", failed, h.answered("q"))
		}
	})
}

func TestAsk_ContextEndsWithoutAStop_ClosesTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan struct{})
		h := open(t, script(func(ctx context.Context, w *hub.Work) error {
			asking, withdraw := context.WithCancelCause(ctx)
			go func() {
				<-next
				withdraw(errors.New("not needed"))
			}()
			_, err := w.AskForm(asking, where)
			if err == nil || err.Error() != "not needed" {
				t.Errorf("%v", err)
			}
			<-next
			return nil
		}), hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		next <- struct{}{}
		synctest.Wait()
		if open := turn.Questions(); len(open) != 0 {
			t.Errorf("still open: %+v", open)
		}
		if err := h.Answer(turn.ID, "q", accepts("dev"), "late"); !errors.Is(err, bellcord.ErrNoQuestion) {
			t.Errorf("a late answer: %v", err)
		}
		close(next)
		<-turn.Settled()
		if ev := h.answered("q"); ev == nil || ev.Choice != bellcord.ChoiceWithdrawn {
			t.Errorf("recorded %+v", ev)
		}
		if r := turn.Receipt(); len(r.WithdrawnQuestions) != 0 {
			t.Errorf("the receipt lists %v", r.WithdrawnQuestions)
		}
	})
}

func TestWorkAnswer_PageReportsThatItIsDone_ClosesTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script(func(ctx context.Context, w *hub.Work) error {
			done := make(chan bellcord.Reply)
			go func() {
				r, _ := w.AskForm(ctx, bellcord.Question{ID: "q", Text: "Log in", URL: "https://login.example"})
				done <- r
			}()
			synctest.Wait()
			if err := w.Answer("q", bellcord.Reply{Choice: bellcord.ChoiceAccept}, "login.example"); err != nil {
				t.Error(err)
			}
			if r := <-done; r.Choice != bellcord.ChoiceAccept {
				t.Errorf("%+v", r)
			}
			return nil
		}), hub.Options{})
		<-h.prompt("go").Settled()
		if ev := h.answered("q"); ev == nil || ev.By != "login.example" {
			t.Errorf("recorded %+v", ev)
		}
	})
}

// events returns the session's log.
func (h fixture) events() []bellcord.Event {
	h.t.Helper()
	cursor, err := h.Events(h.t.Context(), h.session, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer cursor.Close()
	var all []bellcord.Event
	tail, err := h.Tail(h.t.Context(), h.session)
	if err != nil {
		h.t.Fatal(err)
	}
	for int64(len(all)) < tail {
		some, err := cursor.Next(h.t.Context())
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}
