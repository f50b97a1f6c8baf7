package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

// home returns the session's home node if that is another node, and "" if it
// is this one. A session with turns here has its home here.
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

// Accept passes a prompt to the session's home node. If that node does not
// answer, the prompt is accepted here; the turn's id makes sure that there is
// only one turn, whether or not the first attempt succeeded.
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
	r, err := n.bus.call(ctx, home, call{Verb: "prompt", Session: session, Turn: p.Turn, Prompt: &p})
	if !errors.Is(err, errUnreached) && !errors.Is(err, bellcord.ErrDraining) && !errors.Is(err, store.ErrFenced) {
		n.ForgetSession(session)
		return r.Turn, err
	}
	unsure := errors.Is(err, bellcord.ErrUnknown)
	if err = n.promptThroughStore(ctx, session, p); err == nil {
		_, err = n.Hub.Accept(ctx, session, p)
	}
	if err == nil {
		return p.Turn, nil
	}
	record, lookErr := n.Turn(ctx, p.Turn)
	switch {
	case lookErr == nil && record.Node == home && record.Session == session && record.Prompt.Text == p.Text:
		return p.Turn, nil // the home node accepted it
	case unsure && !errors.Is(err, bellcord.ErrTurnExists): // the home node may still accept it
		return "", fmt.Errorf("%w (%s)", bellcord.ErrUnknown, err.Error())
	}
	return "", err
}

// promptThroughStore applies a prompt's WhenBusy through the store if the session's home
// node does not answer: turns that run there are not in the local queue.
func (n *Node) promptThroughStore(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) error {
	switch p.WhenBusy {
	case bellcord.BusyReject:
		unended, err := n.UnendedTurns(ctx, session)
		if err == nil && slices.ContainsFunc(unended, func(r store.TurnRecord) bool { return r.ID != p.Turn }) {
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

// Session returns a session in its current state at its home node.
func (n *Node) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	if n.IsIdle(id) {
		if home, err := n.home(ctx, id); err == nil && home != "" {
			n.ForgetSession(id)
		}
	}
	return n.Hub.Session(ctx, id)
}

// Answer passes a user's answer to the node that has the turn.
func (n *Node) Answer(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error {
	return n.pass(turn, bellcord.ErrTurnEnded,
		func() error { return n.Hub.Answer(turn, question, r, by) },
		call{Verb: "answer", Turn: turn, Question: question, Choice: r.Choice, Values: r.Values, Reason: r.Reason, Scopes: r.Scopes, By: by})
}

// Edit changes the text of a queued turn.
func (n *Node) Edit(turn bellcord.TurnID, text string) error {
	return n.pass(turn, bellcord.ErrNoTurn, func() error { return n.Hub.Edit(turn, text) }, call{Verb: "edit", Turn: turn, Text: text})
}

// MoveToFront moves a queued turn to the front of the queue and releases it if it is
// held.
func (n *Node) MoveToFront(turn bellcord.TurnID) error {
	return n.pass(turn, bellcord.ErrNoTurn, func() error { return n.Hub.MoveToFront(turn) }, call{Verb: "send", Turn: turn})
}

// pass changes a turn here. If the error is missing, which means that the turn
// is not here, it passes the call to the node that has the turn.
func (n *Node) pass(turn bellcord.TurnID, missing error, local func() error, remote call) error {
	err := local()
	if !errors.Is(err, missing) {
		return err
	}
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	record, lookErr := n.Turn(ctx, turn)
	if lookErr != nil || record.State == bellcord.StateEnded || record.Node == n.bus.self {
		return err
	}
	_, err = n.bus.call(ctx, record.Node, remote)
	return err
}

// Release lets held turns of a session run, here and at its home node: the given
// ones, or all if none is given.
func (n *Node) Release(session bellcord.SessionID, turns ...bellcord.TurnID) {
	n.Hub.Release(session, turns...)
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	if home, err := n.home(ctx, session); err == nil && home != "" {
		_, err = n.bus.call(ctx, home, call{Verb: "release", Session: session, Turns: turns})
		if err != nil {
			n.bus.logger.Warn("cannot release held turns on another node", "session", session, "err", err)
		}
	}
}

// Configure changes a session's settings at its home node, or here if that
// does not answer.
func (n *Node) Configure(id bellcord.SessionID, change bellcord.SessionUpdated) (bellcord.Session, error) {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	r, passed, err := n.atHome(ctx, call{Verb: "configure", Session: id, Change: &change})
	switch {
	case err != nil:
		return bellcord.Session{}, err
	case passed && r.Session != nil:
		return *r.Session, nil
	}
	return n.Hub.Configure(id, change)
}

// Clear starts a new conversation at the session's home node, or here if that does
// not answer.
func (n *Node) Clear(id bellcord.SessionID, cause bellcord.Cause) (*hub.Stopping, error) {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	if home, err := n.home(ctx, id); err != nil || home == "" {
		return n.Hub.Clear(id, cause) // a stop does not wait for the store
	}
	// Its turns are stopped at once, and the caller can wait for their receipts.
	stopping := n.Stop(bellcord.StopRequest{Session: id, Cause: cause, Queue: bellcord.QueueDrop, Everywhere: true})
	_, passed, err := n.atHome(ctx, call{Verb: "clear", Session: id, Cause: &cause})
	if passed || err != nil {
		return stopping, err
	}
	return n.Hub.Clear(id, cause)
}

// Rewind rewinds the conversation at the session's home node, or here if that
// cannot be reached.
func (n *Node) Rewind(ctx context.Context, id bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error) {
	r, passed, err := n.atHome(ctx, call{Verb: "rewind", Session: id, Turn: turn})
	switch {
	case err != nil:
		return bellcord.ConversationRewound{}, err
	case passed && r.Rewound != nil:
		return *r.Rewound, nil
	}
	return n.Hub.Rewind(ctx, id, turn)
}

// atHome passes a change of a session to its home node. It returns false if the
// change must be made here: the home node is this one, or does not answer. A rewind
// is not made twice, so it fails if the home node may have made it.
func (n *Node) atHome(ctx context.Context, c call) (r reply, passed bool, err error) {
	home, err := n.home(ctx, c.Session)
	if err != nil || home == "" {
		return reply{}, false, err
	}
	r, err = n.bus.call(ctx, home, c)
	if errors.Is(err, errUnreached) && (c.Verb != "rewind" || !errors.Is(err, bellcord.ErrUnknown)) {
		return reply{}, false, nil
	}
	if err == nil {
		n.ForgetSession(c.Session)
	}
	return r, true, err
}

// standingPatience is how long a listing waits for the other nodes' queue
// entries. Without them, it shows only the state in the store.
const standingPatience = 300 * time.Millisecond

// QueueEntries returns the queue entries of turns on all nodes. Entries of
// nodes that do not answer in time are missing.
func (n *Node) QueueEntries(turns []store.TurnRecord) map[bellcord.TurnID]bellcord.QueueEntry {
	all := n.Hub.QueueEntries(turns)
	byNode := map[string][]bellcord.TurnID{}
	for _, r := range turns {
		if _, found := all[r.ID]; !found && r.State != bellcord.StateEnded && r.Node != n.bus.self {
			byNode[r.Node] = append(byNode[r.Node], r.ID)
		}
	}
	ctx, done := context.WithTimeout(context.Background(), standingPatience)
	defer done()
	var mu sync.Mutex
	var calls sync.WaitGroup
	for node, ids := range byNode {
		calls.Go(func() {
			r, err := n.bus.call(ctx, node, call{Verb: "standings", Turns: ids})
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
	calls.Wait()
	return all
}

// Ping returns the time that another node takes to answer.
func (n *Node) Ping(ctx context.Context, node string) (time.Duration, error) {
	began := time.Now()
	_, err := n.bus.call(ctx, node, call{Verb: "ping"})
	return time.Since(began), err
}
