package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
)

// home is the other node that a session is at home with; "" is this one. A
// session that has turns here is at home here.
func (n *Node) home(ctx context.Context, session bellcord.SessionID) (string, error) {
	if len(n.Queue(session)) > 0 {
		return "", nil
	}
	home, err := n.bus.config.Directory.Home(ctx, session)
	if home == n.bus.self {
		home = ""
	}
	return home, err
}

// Accept hands a prompt to the node that the session is at home with. Where that
// one does not answer, it is accepted here; the id sees to it that there is one
// turn, whatever became of the first try.
func (n *Node) Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error) {
	home, err := n.home(ctx, session)
	if err != nil {
		return "", err
	}
	if home == "" {
		return n.Hub.Accept(ctx, session, p)
	}
	if p.Turn == "" {
		p.Turn = bellcord.NewTurnID()
	}
	r, err := n.bus.ask(ctx, home, call{Verb: "prompt", Session: session, Turn: p.Turn, Prompt: &p})
	if !errors.Is(err, errUnreached) && !errors.Is(err, bellcord.ErrDraining) && !errors.Is(err, bellcord.ErrFenced) {
		n.ForgetSession(session)
		return r.Turn, err
	}
	unsure := errors.Is(err, bellcord.ErrUnknown)
	if err = n.unheard(ctx, session, p); err == nil {
		_, err = n.Hub.Accept(ctx, session, p)
	}
	if err == nil {
		return p.Turn, nil
	}
	record, lookErr := n.Turn(ctx, p.Turn)
	switch {
	case lookErr == nil && record.Node == home && record.Session == session && record.Prompt.Text == p.Text:
		return p.Turn, nil // it had been accepted there
	case unsure && !errors.Is(err, bellcord.ErrTurnExists): // it may yet be
		return "", fmt.Errorf("%w (%s)", bellcord.ErrUnknown, err.Error())
	}
	return "", err
}

// unheard carries out a prompt's policy for a session whose home does not answer,
// through the store: what runs there is not in the line here.
func (n *Node) unheard(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) error {
	switch p.WhenBusy {
	case bellcord.BusyReject:
		unended, err := n.UnendedTurns(ctx, session)
		if err == nil && slices.ContainsFunc(unended, func(r bellcord.TurnRecord) bool { return r.ID != p.Turn }) {
			err = bellcord.ErrBusy
		}
		return err
	case bellcord.BusyReplace:
		n.Stop(bellcord.StopRequest{
			Session: session, Queue: bellcord.QueueDrop, Everywhere: true,
			Cause: bellcord.Cause{Kind: bellcord.CauseReplaced, By: string(p.Turn)},
		})
	case bellcord.BusyQueue, "":
	}
	return nil
}

// Session returns a session as it is where it is at home, whoever has it open.
func (n *Node) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	if n.IsIdle(id) {
		if home, err := n.home(ctx, id); err == nil && home != "" {
			n.ForgetSession(id)
		}
	}
	return n.Hub.Session(ctx, id)
}

// Answer gives a person's choice to the node that asked.
func (n *Node) Answer(turn bellcord.TurnID, question, choice, by string) error {
	return n.pass(turn, bellcord.ErrTurnEnded,
		func() error { return n.Hub.Answer(turn, question, choice, by) },
		call{Verb: "answer", Turn: turn, Question: question, Choice: choice, By: by})
}

// Edit changes the text of a turn that waits.
func (n *Node) Edit(turn bellcord.TurnID, text string) error {
	return n.pass(turn, bellcord.ErrNoTurn, func() error { return n.Hub.Edit(turn, text) }, call{Verb: "edit", Turn: turn, Text: text})
}

// Send lets a turn that waits run before all others that do.
func (n *Node) Send(turn bellcord.TurnID) error {
	return n.pass(turn, bellcord.ErrNoTurn, func() error { return n.Hub.Send(turn) }, call{Verb: "send", Turn: turn})
}

// pass does something to a turn: here, or, where it is not here, which is how
// missing says it, at the node that has it.
func (n *Node) pass(turn bellcord.TurnID, missing error, here func() error, there call) error {
	err := here()
	if !errors.Is(err, missing) {
		return err
	}
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	record, lookErr := n.Turn(ctx, turn)
	if lookErr != nil || record.State == bellcord.StateEnded || record.Node == n.bus.self {
		return err
	}
	_, err = n.bus.ask(ctx, record.Node, there)
	return err
}

// Release lets the held turns of a session run, here and at its home.
func (n *Node) Release(session bellcord.SessionID) {
	n.Hub.Release(session)
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	if home, err := n.home(ctx, session); err == nil && home != "" {
		_, err = n.bus.ask(ctx, home, call{Verb: "release", Session: session})
		if err != nil {
			n.bus.logger.Warn("cannot release held turns on another node", "session", session, "err", err)
		}
	}
}

// Configure changes a session's settings where it is at home.
func (n *Node) Configure(id bellcord.SessionID, change bellcord.SessionUpdated) (bellcord.Session, error) {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	home, err := n.home(ctx, id)
	if err != nil {
		return bellcord.Session{}, err
	}
	if home != "" {
		r, err := n.bus.ask(ctx, home, call{Verb: "configure", Session: id, Change: &change})
		if err == nil && r.Session != nil {
			n.ForgetSession(id)
			return *r.Session, nil
		}
		if !errors.Is(err, errUnreached) {
			return bellcord.Session{}, err
		}
	}
	return n.Hub.Configure(id, change)
}

// standingPatience is how long a listing waits for what only a turn's own node
// knows; without, it shows what is on record.
const standingPatience = 300 * time.Millisecond

// QueueEntries returns how turns stand, whichever nodes have them.
func (n *Node) QueueEntries(turns []bellcord.TurnRecord) map[bellcord.TurnID]bellcord.QueueEntry {
	all := n.Hub.QueueEntries(turns)
	there := map[string][]bellcord.TurnID{}
	for _, r := range turns {
		if _, here := all[r.ID]; !here && r.State != bellcord.StateEnded && r.Node != n.bus.self {
			there[r.Node] = append(there[r.Node], r.ID)
		}
	}
	ctx, done := context.WithTimeout(context.Background(), standingPatience)
	defer done()
	var mu sync.Mutex
	var asked sync.WaitGroup
	for node, ids := range there {
		asked.Go(func() {
			r, err := n.bus.ask(ctx, node, call{Verb: "standings", Turns: ids})
			if err != nil {
				n.bus.logger.Debug("another node did not report the state of its turns", "node", node, "err", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, s := range r.Standings {
				all[s.Turn] = s
			}
		})
	}
	asked.Wait()
	return all
}

// Ping measures how long another node takes to answer.
func (n *Node) Ping(ctx context.Context, node string) (time.Duration, error) {
	began := time.Now()
	_, err := n.bus.ask(ctx, node, call{Verb: "ping"})
	return time.Since(began), err
}
