package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

// patience is how long another node may take to answer. It commits to the store
// before it does.
const patience = 2 * time.Second

// call is a verb for another node.
type call struct {
	Verb     string                   `json:"verb"` // prompt | answer | edit | send | release | configure | standings | ping
	Session  bellcord.SessionID       `json:"session,omitempty"`
	Turn     bellcord.TurnID          `json:"turn,omitempty"`
	Prompt   *bellcord.Prompt         `json:"prompt,omitempty"`
	Question string                   `json:"question,omitempty"`
	Choice   string                   `json:"choice,omitempty"`
	By       string                   `json:"by,omitempty"`
	Text     string                   `json:"text,omitempty"`
	Change   *bellcord.SessionUpdated `json:"change,omitempty"`
	Turns    []bellcord.TurnID        `json:"turns,omitempty"`
}

// reply is its answer.
type reply struct {
	Error     string                `json:"error,omitempty"`
	Refused   string                `json:"refused,omitempty"` // why the request was not even looked at
	Turn      bellcord.TurnID       `json:"turn,omitempty"`
	Session   *bellcord.Session     `json:"session,omitempty"`
	Standings []bellcord.QueueEntry `json:"standings,omitempty"`
}

// errUnreached means that another node did not answer, or could not. With
// ErrUnknown it may have done what it was asked, else it has not.
var errUnreached = errors.New("the node that owns it does not respond")

// known are the errors that mean the same at every node.
var known = []error{
	bellcord.ErrNoSession, bellcord.ErrNoTurn, bellcord.ErrTurnExists, bellcord.ErrBusy, bellcord.ErrFenced, bellcord.ErrDraining,
	bellcord.ErrNotOpen, bellcord.ErrStarted, bellcord.ErrTurnEnded, bellcord.ErrNoQuestion, bellcord.ErrClosed, bellcord.ErrUnknown,
	bellcord.ErrStoreDown, bellcord.ErrPromptTooLong, bellcord.ErrTooManyTurns, bellcord.ErrTooManyOfOwner,
}

func wordFor(err error) string {
	if err == nil {
		return ""
	}
	for _, k := range known {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return err.Error()
}

func errorFor(word string) error {
	if word == "" {
		return nil
	}
	for _, k := range known {
		if word == k.Error() {
			return k
		}
	}
	return errors.New(word)
}

// ask has another node carry out a verb.
func (b *Bus) ask(ctx context.Context, node string, c call) (reply, error) {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	data, err := json.Marshal(c)
	if err != nil {
		return reply{}, err
	}
	answer, err := b.request(ctx, b.controlOf(node), data)
	if err != nil {
		return reply{}, unreached(err)
	}
	var r reply
	if err := json.Unmarshal(answer, &r); err != nil {
		return reply{}, unreached(err)
	}
	if r.Refused != "" {
		return reply{}, fmt.Errorf("%w: request refused: %s", errUnreached, r.Refused)
	}
	return r, errorFor(r.Error)
}

// unreached says what a request without an answer means: one that never left was
// not carried out, of others nobody knows.
func unreached(err error) error {
	for _, unsent := range []error{nats.ErrNoResponders, nats.ErrReconnectBufExceeded, nats.ErrConnectionClosed, nats.ErrMaxPayload} {
		if errors.Is(err, unsent) {
			return fmt.Errorf("%w: %w", errUnreached, err)
		}
	}
	return fmt.Errorf("%w: %w: %w", errUnreached, bellcord.ErrUnknown, err)
}

// serveVerb carries out a verb for another node.
func (n *Node) serveVerb(m *nats.Msg, got message) {
	var c call
	var r reply
	err := json.Unmarshal(got.payload, &c)
	if err == nil {
		ctx, done := context.WithTimeout(context.Background(), patience)
		defer done()
		if r, err = n.carryOut(ctx, c); errors.Is(err, context.DeadlineExceeded) {
			err = bellcord.ErrUnknown // it goes on
		}
	}
	r.Error = wordFor(err)
	n.sendReply(m, got, r)
}

// sendReply sends the answer to a request.
func (n *Node) sendReply(m *nats.Msg, to message, r reply) {
	data, err := json.Marshal(r)
	if err == nil {
		err = m.Respond(n.bus.controlSender.signReply(to.signature, data))
	}
	if err != nil {
		n.bus.logger.Warn("cannot reply to another node", "node", to.node, "err", err)
	}
}

// carryOut does here what another node was asked for; it is never passed on.
func (n *Node) carryOut(ctx context.Context, c call) (r reply, err error) {
	switch {
	case c.Verb == "prompt" && c.Prompt == nil, c.Verb == "configure" && c.Change == nil:
		return r, fmt.Errorf("verb %q has no content", c.Verb)
	}
	switch c.Verb {
	case "prompt":
		p := *c.Prompt
		p.Turn = c.Turn
		r.Turn, err = n.Hub.Accept(ctx, c.Session, p)
	case "answer":
		err = n.Hub.Answer(c.Turn, c.Question, c.Choice, c.By)
	case "edit":
		err = n.Hub.Edit(c.Turn, c.Text)
	case "send":
		err = n.Hub.Send(c.Turn)
	case "release":
		n.Hub.Release(c.Session)
	case "configure":
		var s bellcord.Session
		if _, err = n.OpenSession(ctx, c.Session); err == nil {
			s, err = n.Hub.Configure(c.Session, *c.Change)
		}
		r.Session = &s
	case "standings":
		for _, id := range c.Turns {
			if standing, here := n.QueueEntry(id); here {
				r.Standings = append(r.Standings, standing)
			}
		}
	case "ping":
	default:
		err = fmt.Errorf("unknown verb %q", c.Verb)
	}
	return r, err
}
