package web_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

func TestPrompt_Accepted_ReturnsItsTurnAndGetCanWaitForTheEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	a := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "wait a"}).is(202)
	turn := a.turn()
	if turn.Session != id || turn.Text != "wait a" || turn.Accepted.IsZero() || a.header.Get("Location") != "/v1/turns/"+string(turn.ID) {
		t.Errorf("%s at %s", a.body, a.header.Get("Location"))
	}
	s.until(id, "text_delta")
	began := time.Now()
	if got := s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID)+"?wait=50ms", nil).is(200).turn(); got.State != api.Running || time.Since(began) < 50*time.Millisecond {
		t.Errorf("after %v it is %s", time.Since(began), got.State)
	}
	if all := s.roundTrip("anna", "GET", "/v1/turns", nil).is(200).turns(); len(all) != 1 || all[0].ID != turn.ID {
		t.Errorf("unended: %+v", all)
	}
	if all := s.roundTrip("bert", "GET", "/v1/turns", nil).is(200).turns(); len(all) != 0 {
		t.Errorf("bert sees %+v", all)
	}
	if all := s.roundTrip("admin", "GET", "/v1/turns", nil).is(200).turns(); len(all) != 1 {
		t.Errorf("an admin sees %+v", all)
	}
	s.release()
	if r := s.ended("anna", turn.ID); r.End != bellcord.EndDone || r.Turn != turn.ID {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"soon", "-1s", "5"} {
		s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID)+"?wait="+bad, nil).isA(422, "bad-input")
	}
}

// heldStore blocks the commit of prompts until let is closed.
type heldStore struct {
	store.Store
	reached chan struct{}
	let     chan struct{}
}

func (h *heldStore) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	for _, op := range ops {
		if _, accepts := op.(store.AcceptTurn); accepts {
			h.reached <- struct{}{}
			<-h.let
		}
	}
	return h.Store.Commit(ctx, ops)
}

func TestPrompt_NotYetDurable_GetsNoResponse(t *testing.T) {
	t.Parallel()
	held := &heldStore{reached: make(chan struct{}), let: make(chan struct{})}
	s := newStage(t, func(with *setup) {
		with.store = func(store store.Store) store.Store { held.Store = store; return held }
	})
	path, _ := s.session("anna")
	id := bellcord.NewTurnID()
	answered := make(chan answer, 1)
	go func() {
		answered <- s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: string(id), Text: "say hi"})
	}()
	<-held.reached
	select {
	case a := <-answered:
		t.Fatalf("answered %d before it was durable", a.status)
	case <-time.After(100 * time.Millisecond):
	}
	close(held.let)
	(<-answered).is(202)
	if r, err := s.store.Turn(t.Context(), id); err != nil || r.Prompt.Text != "say hi" {
		t.Errorf("on record: %+v, %v", r, err)
	}
}

func TestPrompt_RepeatedBeforeItIsDurable_ReturnsTheSameTurn(t *testing.T) {
	t.Parallel()
	held := &heldStore{reached: make(chan struct{}), let: make(chan struct{})}
	s := newStage(t, func(with *setup) {
		with.store = func(store store.Store) store.Store { held.Store = store; return held }
	})
	path, _ := s.session("anna")
	body := api.NewTurn{ID: string(bellcord.NewTurnID()), Text: "say hi"}
	first, again := make(chan answer, 1), make(chan answer, 1)
	go func() { first <- s.roundTrip("anna", "POST", path+"/turns", body) }()
	<-held.reached
	go func() { again <- s.roundTrip("anna", "POST", path+"/turns", body) }()
	select {
	case a := <-again:
		t.Fatalf("answered %d before the first was durable", a.status)
	case <-time.After(100 * time.Millisecond):
	}
	close(held.let)
	(<-first).is(202)
	(<-again).is(200)
}

func TestPrompt_SameID_ReturnsTheSameTurnOrConflictsOnOtherText(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	other, _ := s.session("anna")
	id := string(bellcord.NewTurnID())
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: id, Text: "say hi"}).is(202)
	receipt := s.ended("anna", bellcord.TurnID(id))
	again := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: id, Text: "say hi"}).is(200).turn()
	if string(again.ID) != id || again.State != "done" || !again.Receipt.Times.Settled.Equal(receipt.Times.Settled) {
		t.Errorf("%+v", again)
	}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: id, Text: "say ho"}).isA(409, "turn-exists")
	s.roundTrip("anna", "POST", other+"/turns", api.NewTurn{ID: id, Text: "say hi"}).isA(409, "turn-exists")
	berts, _ := s.session("bert")
	s.roundTrip("bert", "POST", berts+"/turns", api.NewTurn{ID: id, Text: "say hi"}).isA(409, "turn-exists")
	for _, bad := range []string{"1", "not-a-uuid", id + "0"} {
		s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: bad, Text: "say hi"}).is(422)
	}
}

func TestPrompt_SameIdempotencyKey_ReturnsTheSameTurnAfterARestart(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	second, _ := s.session("anna")
	key := header("Idempotency-Key", "k")
	first := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say hi"}, key).is(202).turn()
	s.ended("anna", first.ID)
	if again := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say hi"}, key).is(200).turn(); again.ID != first.ID {
		t.Errorf("again it is %s", again.ID)
	}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say ho"}, key).isA(422, "idempotency-key-reused")
	if elsewhere := s.roundTrip("anna", "POST", second+"/turns", api.NewTurn{Text: "say hi"}, key).is(202).turn(); elsewhere.ID == first.ID {
		t.Error("another session's turn is the same")
	}
	s.ends()
	next := newStage(t, func(with *setup) { with.data = s.data })
	if again := next.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say hi"}, key).is(200).turn(); again.ID != first.ID || again.State != "done" {
		t.Errorf("after the restart it is %s, %s", again.ID, again.State)
	}
	next.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say ho"}, key).isA(422, "idempotency-key-reused")
}

func TestPrompt_BusySession_QueuesRejectsOrReplaces(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	runs := s.prompt("anna", path, "hang on")
	s.until(id, "text_delta")
	if waits := s.prompt("anna", path, "say later"); waits.State != api.Queued {
		t.Errorf("it is %s", waits.State)
	}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say no", WhenBusy: "reject"}).isA(409, "session-busy")
	replaces := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say instead", WhenBusy: "replace"}).is(202).turn()
	if r := s.ended("anna", replaces.ID); r.End != bellcord.EndDone {
		t.Errorf("what replaces: %+v", r)
	}
	if r := s.ended("anna", runs.ID); r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseReplaced {
		t.Errorf("what ran: %+v", r)
	}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say", WhenBusy: "maybe"}).is(422)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: ""}).is(422)
	s.roundTrip("anna", "POST", path+"/turns", `{"text":"say","model":"fake/other"}`).is(422)
}

func TestPrompt_Limits_NeverExceedTheServers(t *testing.T) {
	t.Parallel()
	configured := bellcord.Prompt{Deadline: time.Hour, MaxSteps: 10, MaxTokens: 1000, MaxCostNanoUSD: 2e9}
	s := newStage(t, func(with *setup) { with.Prompt = configured })
	path, _ := s.session("anna")
	given := func(body api.NewTurn) bellcord.Prompt {
		t.Helper()
		turn := s.roundTrip("anna", "POST", path+"/turns", body).is(202).turn()
		s.ended("anna", turn.ID)
		p, ran := s.given(turn.ID)
		if !ran {
			t.Fatal("it did not run")
		}
		return p
	}
	limits := func(p bellcord.Prompt) [4]int64 {
		return [4]int64{int64(p.Deadline), int64(p.MaxSteps), p.MaxTokens, p.MaxCostNanoUSD}
	}
	if got := given(api.NewTurn{Text: "say"}); limits(got) != limits(configured) {
		t.Errorf("nothing was said: %+v", got)
	}
	tight := api.NewTurn{Text: "say", Deadline: "90s", MaxSteps: 3, Budget: api.Budget{MaxTokens: 500, MaxCostUSD: 0.5}}
	if got := given(tight); limits(got) != [4]int64{int64(90 * time.Second), 3, 500, 5e8} {
		t.Errorf("tighter: %+v", got)
	}
	wide := api.NewTurn{Text: "say", Deadline: "24h", MaxSteps: 99, Budget: api.Budget{MaxTokens: 1e6, MaxCostUSD: 1000}}
	if got := given(wide); limits(got) != limits(configured) {
		t.Errorf("wider: %+v", got)
	}
	for _, bad := range []string{`{"text":"say","deadline":"soon"}`, `{"text":"say","deadline":"-1s"}`, `{"text":"say","max_steps":-1}`, `{"text":"say","budget":{"max_tokens":-1}}`, `{"text":"say","budget":{"max_cost_usd":-1}}`} {
		s.roundTrip("anna", "POST", path+"/turns", bad).is(422)
	}
}

func TestPrompt_LimitReached_IsTheCauseOfTheStop(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	for _, test := range []struct {
		body api.NewTurn
		want bellcord.CauseKind
	}{
		{api.NewTurn{Text: "hang on", Deadline: "50ms"}, bellcord.CauseDeadline},
		{api.NewTurn{Text: "steps 5", MaxSteps: 2}, bellcord.CauseStepLimit},
		{api.NewTurn{Text: "steps 5", Budget: api.Budget{MaxTokens: 20}}, bellcord.CauseBudget},
	} {
		turn := s.roundTrip("anna", "POST", path+"/turns", test.body).is(202).turn()
		if r := s.ended("anna", turn.ID); r.End != bellcord.EndStopped || r.Cause == nil || r.Cause.Kind != test.want {
			t.Errorf("%+v: %s, cause %+v", test.body, r.End, r.Cause)
		}
	}
}

func TestPrompt_Command_NeedsItsPrefixAndKeepsItsTask(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "ls", Task: "command"}).isA(422, "bad-input")
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "!ls", Task: "import"}).is(422)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "!/stop", Task: "command"}).is(202)
	if got, is := s.until(id, "turn_accepted").Body.(bellcord.TurnAccepted); !is || got.Task != bellcord.TaskCommand || got.Text != "!/stop" {
		t.Errorf("the turn is %+v", got)
	}
}

func TestPrompt_Compact_NeedsItsCommandAndPassesOnWhatToKeep(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	for _, text := range []string{"compact", "the names", "/compacted", "//compact", "/compact\nthe names", " /compact", "/COMPACT"} {
		s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: text, Task: "compact"}).isA(422, "bad-input")
	}
	for text, keep := range map[string]string{"/compact": "", "/compact ": "", "/compact the names ": "the names"} {
		turn := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: text, Task: "compact"}).is(202).turn()
		if want := api.CompactText(keep); turn.Text != want || turn.Task != bellcord.TaskCompact {
			t.Errorf("%q is shown as %q with the task %q, want %q", text, turn.Text, turn.Task, want)
		}
		s.ended("anna", turn.ID)
		if p, ran := s.given(turn.ID); !ran || p.Task != bellcord.TaskCompact || p.Text != keep {
			t.Errorf("%q: the agent got %+v", text, p)
		}
	}
	hint := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "/compact"})
	if hint.isA(422, "unknown-command"); !strings.Contains(string(hint.body), "the task compact") {
		t.Errorf("without a task: %s", hint.body)
	}
}

func TestPrompt_SameIDWithAnotherTask_Conflicts(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	id := string(bellcord.NewTurnID())
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: id, Text: "/compact say hi", Task: "compact"}).is(202)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: id, Text: "/compact say hi", Task: "compact"}).is(200)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: id, Text: "say hi"}).isA(409, "turn-exists")
	key := header("Idempotency-Key", "k")
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "/compact say hi", Task: "compact"}, key).is(202)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say hi"}, key).isA(422, "idempotency-key-reused")
}

func TestPrompt_CompactInHostedSession_IsRefusedAndIsTextWithoutTheTask(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.CheckAgent = func(string) error { return nil } })
	var made bellcord.Session
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Agent: "goose"}).is(201).into(&made)
	path := "/v1/sessions/" + string(made.ID)
	refusal := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "/compact", Task: "compact"})
	if refusal.isA(422, "bad-input"); !strings.Contains(string(refusal.body), "goose keeps its own conversation; send /compact as text") {
		t.Errorf("the refusal is %s", refusal.body)
	}
	if turn := s.prompt("anna", path, "/compact the names"); turn.Text != "/compact the names" || turn.Task != bellcord.TaskAnswer {
		t.Errorf("the turn is %+v", turn)
	}
}

func TestEdit_QueuedTurnWithATask_NeedsTheFormOfTheTask(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.prompt("anna", path, "wait a")
	s.until(id, "text_delta")
	for _, test := range []struct{ task, text, bad, edited, runs string }{
		{"compact", "/compact", "the names", "/compact the names", "the names"},
		{"command", "!ls", "ls -l", "!ls -l", "!ls -l"},
	} {
		turn := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: test.text, Task: test.task}).is(202).turn()
		at := "/v1/turns/" + string(turn.ID)
		s.roundTrip("anna", "PATCH", at, api.EditTurn{Text: test.bad}).isA(422, "bad-input")
		if got := s.roundTrip("anna", "PATCH", at, api.EditTurn{Text: test.edited}).is(200).turn(); got.Text != test.edited {
			t.Errorf("%s: the text is %q", test.task, got.Text)
		}
		defer func() {
			s.ended("anna", turn.ID)
			if p, _ := s.given(turn.ID); p.Text != test.runs || string(p.Task) != test.task {
				t.Errorf("the agent got %+v", p)
			}
		}()
	}
	s.release()
}

func TestPrompt_WithFiles_KeepsThemApartFromItsText(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	for name, text := range map[string]string{"": "x", "a\nb": "x", strings.Repeat("n", 256): "x"} {
		s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "look", Files: []bellcord.File{{Name: name, Text: text}}}).is(422)
	}
	half := strings.Repeat("x", bellcord.MaxPromptText/2+1)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: half, Files: []bellcord.File{{Name: "a.txt", Text: half}}}).isA(413, "too-large")
	files := []bellcord.File{{Name: "a b.txt", Text: "one\n"}, {Name: "empty.txt"}}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "look", Files: files}).is(202)
	if got, is := s.until(id, "turn_accepted").Body.(bellcord.TurnAccepted); !is || got.Text != "look" || !slices.Equal(got.Files, files) {
		t.Errorf("the turn is %+v", got)
	}
}
