package cluster_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// by is the cause of stops.
var by = bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Source: "test"}

// until waits for a condition that must become true.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late := time.After(patient)
	for !holds() {
		select {
		case <-time.After(2 * time.Millisecond):
		case <-late:
			t.Fatalf("it does not come: %s", what)
		}
	}
}

// inTime returns a context that expires when a test has waited long enough.
func inTime(t *testing.T) context.Context {
	ctx, done := context.WithTimeout(t.Context(), patient)
	t.Cleanup(done)
	return ctx
}

// session creates a session, with an owner if one is given.
func (n *node) session(owner ...string) bellcord.SessionID {
	n.t.Helper()
	made := bellcord.Session{Dir: "/"}
	if len(owner) > 0 {
		made.Owner = owner[0]
	}
	made, err := n.NewSession(n.t.Context(), made)
	if err != nil {
		n.t.Fatal(err)
	}
	return made.ID
}

// prompt sends a prompt and returns its turn.
func (n *node) prompt(session bellcord.SessionID, text string, changes ...func(*bellcord.Prompt)) bellcord.TurnID {
	n.t.Helper()
	p := bellcord.Prompt{Text: text}
	for _, change := range changes {
		change(&p)
	}
	id, err := n.Accept(inTime(n.t), session, p)
	if err != nil {
		n.t.Fatalf("%q: %v", text, err)
	}
	return id
}

// runs sends a prompt and waits until its agent runs on this node.
func (n *node) runs(session bellcord.SessionID, text string) bellcord.TurnID {
	n.t.Helper()
	id := n.prompt(session, text)
	until(n.t, "the agent is at work", func() bool { _, ran := n.ran(id); return ran })
	return id
}

// stop stops turns and waits for the answers.
func (n *node) stop(req bellcord.StopRequest) []bellcord.StopAnswer {
	n.t.Helper()
	if req.Cause.Kind == "" {
		req.Cause = by
	}
	answers, err := n.Stop(req).Wait(inTime(n.t))
	if err != nil {
		n.t.Fatalf("stopping: %v, %+v", err, answers)
	}
	return answers
}

// settles stops exactly one turn, which must settle, and returns its receipt.
func (n *node) settles(req bellcord.StopRequest) bellcord.Receipt {
	n.t.Helper()
	answers := n.stop(req)
	if len(answers) != 1 || answers[0].State != bellcord.StopStateSettled || answers[0].Receipt == nil {
		n.t.Fatalf("the answers are %+v", answers)
	}
	return *answers[0].Receipt
}

// record waits until a turn has ended and returns its record.
func (n *node) record(id bellcord.TurnID) store.TurnRecord {
	n.t.Helper()
	var r store.TurnRecord
	until(n.t, "the turn ends", func() bool {
		var err error
		r, err = n.base.Turn(inTime(n.t), id)
		return err == nil && r.State == bellcord.StateEnded
	})
	return r
}

// same reports whether two values have the same JSON.
func same(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(one) == string(other)
}

// events returns all events of a session in the store.
func (n *node) events(session bellcord.SessionID) []bellcord.Event {
	n.t.Helper()
	all, err := n.base.Events(inTime(n.t), session, 0, 1_000_000)
	if err != nil {
		n.t.Fatal(err)
	}
	return all
}

// count returns the number of a turn's events of a kind.
func (n *node) count(session bellcord.SessionID, turn bellcord.TurnID, kind string) (found int) {
	for _, ev := range n.events(session) {
		if ev.Turn == turn && ev.Body.Kind() == kind {
			found++
		}
	}
	return found
}
