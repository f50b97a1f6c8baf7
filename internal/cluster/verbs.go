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

// patience is the maximum time that another node may take to answer. It
// includes the commit to the store.
const patience = 2 * time.Second

// call is a request to another node.
type call struct {
	Verb     string                   `json:"verb"` // prompt | answer | edit | send | release | configure | clear | rewind | standings | undo | texts | ping
	Session  bellcord.SessionID       `json:"session,omitempty"`
	Turn     bellcord.TurnID          `json:"turn,omitempty"`
	Prompt   *bellcord.Prompt         `json:"prompt,omitempty"`
	Question string                   `json:"question,omitempty"`
	Choice   string                   `json:"choice,omitempty"`
	Values   answerValues             `json:"values,omitempty"`
	Reason   string                   `json:"reason,omitempty"`
	Scopes   []bellcord.Scope         `json:"scopes,omitempty"` // of the person who answers
	By       string                   `json:"by,omitempty"`
	Text     string                   `json:"text,omitempty"`
	Change   *bellcord.SessionUpdated `json:"change,omitempty"`
	Cause    *bellcord.Cause          `json:"cause,omitempty"`
	Turns    []bellcord.TurnID        `json:"turns,omitempty"`
	Undo     *bellcord.UndoRequest    `json:"undo,omitempty"`
	From     int                      `json:"from,omitempty"` // index of the first text
}

// answerValues are the values of a question's fields.
type answerValues = map[string]json.RawMessage

// reply is the answer to a call.
type reply struct {
	Code      string                        `json:"code,omitempty"` // of codes, if the error has one
	Error     string                        `json:"error,omitempty"`
	Refused   string                        `json:"refused,omitempty"` // the reason why the call was not processed
	Turn      bellcord.TurnID               `json:"turn,omitempty"`
	Session   *bellcord.Session             `json:"session,omitempty"`
	Rewound   *bellcord.ConversationRewound `json:"rewound,omitempty"`
	Standings []bellcord.QueueEntry         `json:"standings,omitempty"`
	Undone    *bellcord.Undone              `json:"undone,omitempty"`
	Texts     []bellcord.Change             `json:"texts,omitempty"`
	Next      int                           `json:"next,omitempty"` // index of the first text that is not in the reply
}

// errUnreached means that another node did not answer or could not be reached.
// Combined with ErrUnknown, the node may have processed the call; otherwise it
// has not.
var errUnreached = errors.New("the node that owns it does not respond")

// call sends a call to another node and returns its reply.
func (b *Bus) call(ctx context.Context, node string, c call) (reply, error) {
	ctx, done := context.WithTimeout(ctx, c.patience())
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
	return r, errorOf(r.Code, r.Error)
}

// unreached returns the error for a call without a reply. A call that was not
// sent has not been processed; for all others, the error includes ErrUnknown.
func unreached(err error) error {
	for _, unsent := range []error{nats.ErrNoResponders, nats.ErrReconnectBufExceeded, nats.ErrConnectionClosed, nats.ErrMaxPayload} {
		if errors.Is(err, unsent) {
			return fmt.Errorf("%w: %w", errUnreached, err)
		}
	}
	return fmt.Errorf("%w: %w: %w", errUnreached, bellcord.ErrUnknown, err)
}

// serveVerb processes a call of another node and replies.
func (n *Node) serveVerb(m *nats.Msg, got message) {
	var c call
	var r reply
	err := json.Unmarshal(got.payload, &c)
	if err == nil {
		ctx, done := context.WithTimeout(context.Background(), c.patience())
		defer done()
		if r, err = n.carryOut(ctx, c); errors.Is(err, context.DeadlineExceeded) {
			err = bellcord.ErrUnknown // it continues in the background
		}
	}
	r.Code, r.Error = codeOf(err)
	n.sendReply(m, got, r)
}

// sendReply sends the reply to a call.
func (n *Node) sendReply(m *nats.Msg, to message, r reply) {
	data, err := json.Marshal(r)
	if err == nil {
		err = m.Respond(n.bus.controlSender.signReply(to.signature, data))
	}
	if err != nil {
		n.bus.logger.Warn("cannot reply to another node", "node", to.node, "err", err)
	}
}

// carryOut processes a call on this node. It never passes it on.
func (n *Node) carryOut(ctx context.Context, c call) (r reply, err error) {
	switch {
	case c.Verb == "prompt" && c.Prompt == nil, c.Verb == "configure" && c.Change == nil, c.Verb == "undo" && c.Undo == nil,
		c.Verb == "clear" && c.Cause == nil:
		return r, fmt.Errorf("verb %q has no content", c.Verb)
	}
	switch c.Verb {
	case "prompt":
		p := *c.Prompt
		p.Turn = c.Turn
		r.Turn, err = n.Hub.Accept(ctx, c.Session, p)
	case "answer":
		err = n.Hub.Answer(c.Turn, c.Question, bellcord.Reply{Choice: c.Choice, Values: c.Values, Reason: c.Reason, Scopes: c.Scopes}, c.By)
	case "edit":
		err = n.Hub.Edit(c.Turn, c.Text)
	case "send":
		err = n.Hub.MoveToFront(c.Turn)
	case "release":
		n.Hub.Release(c.Session, c.Turns...)
	case "configure":
		var s bellcord.Session
		if _, err = n.OpenSession(ctx, c.Session); err == nil {
			s, err = n.Hub.Configure(c.Session, *c.Change)
		}
		r.Session = &s
	case "clear":
		if _, err = n.OpenSession(ctx, c.Session); err == nil {
			_, err = n.Hub.Clear(c.Session, *c.Cause)
		}
	case "rewind":
		var rewound bellcord.ConversationRewound
		rewound, err = n.Hub.Rewind(ctx, c.Session, c.Turn)
		r.Rewound = &rewound
	case "standings":
		for _, id := range c.Turns {
			if standing, local := n.QueueEntry(id); local {
				r.Standings = append(r.Standings, standing)
			}
		}
	case "undo":
		var u bellcord.Undone
		u, err = n.bus.config.Undo(ctx, *c.Undo)
		r.Undone = &u
	case "texts":
		var all []bellcord.Change
		all, err = n.bus.config.Texts(ctx, c.Turn, c.Text)
		r.Texts, r.Next = part(all, c.From, int(n.bus.control.MaxPayload())/2)
	case "ping":
	default:
		err = fmt.Errorf("unknown verb %q", c.Verb)
	}
	return r, err
}
