package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/store"
)

// position is the position of an update: the sequence number of its event, and
// its number among the updates of the event, counted from 1.
type position struct {
	seq  int64
	part int
}

// cursor is the position of the update that is being sent.
type cursor struct {
	event bellcord.Event // the zero Event for an update that is not from the log
	part  int            // updates of the event so far
	after position       // updates up to here are not sent
}

func (c *cursor) begin(ev bellcord.Event) { c.event, c.part = ev, 0 }
func (c *cursor) end()                    { c.event = bellcord.Event{} }

// next moves to the next update. It returns the update's _meta, and whether the
// client has already seen it.
func (c *cursor) next() (meta acp.Meta, known bool) {
	if c.event.Seq == 0 {
		return nil, false
	}
	c.part++
	meta = acp.Meta{"bellcord/seq": c.event.Seq}
	if c.part > 1 {
		meta["bellcord/part"] = c.part
	}
	if c.event.Turn != "" {
		meta["bellcord/turn"] = c.event.Turn
	}
	return meta, c.event.Seq < c.after.seq || c.event.Seq == c.after.seq && c.part <= c.after.part
}

// sendFromLog sends an update of an event.
func (s *session) sendFromLog(u acp.Update) { s.view.show(u, s.sendLogged) }

// sendLogged sends an update with its position to a client that may read.
func (s *session) sendLogged(update any) {
	meta, known := s.sent.next()
	if known || !s.server.may(bellcord.ScopeRead) {
		return
	}
	s.server.conn.Notify(acp.MethodUpdate, notification{SessionID: s.client, Update: update, Meta: meta})
}

// positionOf returns the position after which a client resumes, and whether it
// sent one.
func positionOf(meta acp.Meta) (position, bool, error) {
	after, sent := meta["bellcord/after"]
	if !sent {
		return position{}, false, nil
	}
	seq, ok := wholeNumber(after)
	if !ok {
		return position{}, false, invalid(`_meta["bellcord/after"] must be the bellcord/seq of an update`)
	}
	at := position{seq, 1}
	if part, has := meta["bellcord/part"]; has {
		n, ok := wholeNumber(part)
		if !ok {
			return position{}, false, invalid(`_meta["bellcord/part"] must be the bellcord/part of an update`)
		}
		at.part = int(n)
	}
	return at, true, nil
}

func wholeNumber(v any) (int64, bool) {
	n, is := v.(float64)
	return int64(n), is && n >= 0 && n == float64(int64(n))
}

// resume continues after the position in meta. Without one, it skips the
// conversation so far.
func (s *session) resume(ctx context.Context, meta acp.Meta) error {
	after, sent, err := positionOf(meta)
	switch {
	case err != nil:
		return err
	case !sent:
		return s.skip(ctx)
	}
	last, err := s.hub.Tail(ctx, s.id)
	if err != nil {
		return err
	}
	if after.seq > last {
		return invalid(fmt.Sprintf("bellcord/after %d is past the end of the session's log, %d", after.seq, last))
	}
	return s.rebuild(ctx, after)
}

// restart discards what was derived from the events. Open dialogs are kept.
func (s *session) restart() {
	s.show.Restart()
	s.questions = nil
	s.view.restart()
}

// rebuild reads the log up to a position, as if the client had followed it so
// far. Of the event at the position it sends the updates that the client has
// not seen. The follower continues from there.
func (s *session) rebuild(ctx context.Context, after position) error {
	s.restart()
	s.sent.after, s.show.Replaying = after, true
	defer func() { s.show.Replaying = false }()
	if s.at = after.seq; after.seq == 0 {
		return nil
	}
	cursor, err := s.hub.Events(ctx, s.id, 0)
	if err != nil {
		return err
	}
	defer cursor.Close()
	for cursor.After() < after.seq {
		events, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range events {
			if ev.Seq > after.seq {
				return nil
			}
			s.see(ev)
		}
	}
	return nil
}

// openQuestion is a question that has no answer yet.
type openQuestion struct {
	event    bellcord.Event
	question bellcord.Question
}

// trackQuestions keeps the list of questions that a client has to be asked when
// it reopens the session.
func (s *session) trackQuestions(ev bellcord.Event) {
	closeTurn := func() {
		maps.DeleteFunc(s.questions, func(_ string, q openQuestion) bool { return q.event.Turn == ev.Turn })
	}
	switch b := ev.Body.(type) {
	case bellcord.QuestionOpened:
		if s.questions == nil {
			s.questions = map[string]openQuestion{}
		}
		s.questions[b.Question.ID] = openQuestion{ev, b.Question}
	case bellcord.QuestionAnswered:
		delete(s.questions, b.Question)
	case bellcord.StopRequested:
		if b.Cause.Mode != bellcord.StopAfterStep {
			closeTurn()
		}
	case bellcord.TurnEnded:
		closeTurn()
	default: // no other event opens or closes a question
	}
}

// reopenDialogs opens the dialogs of open questions that the client does not
// have, after a replay.
func (s *session) reopenDialogs() {
	open := slices.SortedFunc(maps.Values(s.questions), func(a, b openQuestion) int { return cmp.Compare(a.event.Seq, b.event.Seq) })
	for _, q := range open {
		if s.show.HasDialog(q.question.ID) {
			continue
		}
		s.sent.begin(q.event)
		s.show.OpenDialog(q.event.Turn, q.question)
		s.sent.end()
	}
}

// turnOf returns the turn id that a client has chosen for a prompt, or "". A
// prompt that is sent again with the same id is the same prompt.
func turnOf(meta acp.Meta) (bellcord.TurnID, error) {
	chosen, has := meta["bellcord/turn"]
	if !has {
		return "", nil
	}
	text, _ := chosen.(string)
	id, err := bellcord.ParseTurnID(text)
	if err != nil {
		return "", invalid(`_meta["bellcord/turn"]: ` + err.Error())
	}
	return id, nil
}

// adopt answers a prompt that was sent again, when its turn has ended and its
// updates have been sent.
func (s *session) adopt(turn bellcord.TurnID, text string) {
	ctx := s.server.life
	err := s.hub.Await(ctx, turn)
	var record store.TurnRecord
	if err == nil {
		record, err = s.hub.Turn(ctx, turn)
	}
	switch {
	case err != nil:
	case record.Session != s.id || record.Prompt.Text != text:
		err = invalid(`_meta["bellcord/turn"]: ` + bellcord.ErrTurnExists.Error())
	case record.Receipt == nil:
		err = bellcord.ErrUnknown
	default:
		var last int64
		if last, err = s.hub.Tail(ctx, s.id); err == nil {
			err = s.reached.wait(s.following, last)
		}
	}
	if errors.Is(err, errReplaced) {
		if successor, gone := s.server.session(string(s.id)); gone == nil && successor != s {
			successor.adopt(turn, text)
			return
		}
	}
	if err == nil {
		s.view.settled(turn, *record.Receipt, "", s.sendNow) // unless the follower has
		return
	}
	if request, ours := s.book.request(turn); ours {
		s.server.sendReply(request, failure(err))
		s.book.removePrompt(turn)
	}
}

// milestone is a position in the log that other goroutines can wait for.
type milestone struct {
	mu    sync.Mutex
	at    int64
	moved chan struct{}
}

func (m *milestone) advance(to int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = to
	if m.moved != nil {
		close(m.moved)
		m.moved = nil
	}
}

// wait returns when the position has been reached, or with the cause of ctx.
func (m *milestone) wait(ctx context.Context, at int64) error {
	for {
		m.mu.Lock()
		if m.moved == nil {
			m.moved = make(chan struct{})
		}
		done, moved := m.at >= at, m.moved
		m.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
