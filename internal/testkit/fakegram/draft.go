package fakegram

import (
	"errors"
	"fmt"
	"time"
)

const (
	draftLife = 30 * time.Second
	stopGrace = time.Second // for draft updates in flight when the stop was delivered
)

// errNoDraft means that there is no Stop button to press.
var errNoDraft = errors.New("there is no live draft with a Stop button")

// draft is a preview of a message that is being written. It is never stored as
// a message.
type draft struct {
	id int
	formatted
	canStop  bool
	keep     bool
	stopped  bool // stopped and kept
	at       time.Time
	animated int // updates after the first
}

func (d *draft) ends() time.Time { return d.at.Add(draftLife) }

// stop is a press of Stop. delivered is when the update was delivered to the bot.
type stop struct {
	delivered time.Time
}

func stopKey(thread, id int) string { return fmt.Sprintf("%d/%d", thread, id) }

func (p *play) sendDraft() (any, error) {
	if !p.chat.private() {
		return nil, bad("TEXTDRAFT_PEER_INVALID")
	}
	id, err := p.q.number("draft_id", "draft_id must be non-zero")
	if err == nil && id == 0 {
		err = bad("draft_id must be non-zero")
	}
	if err != nil {
		return nil, err
	}
	thread, err := p.thread()
	if err != nil {
		return nil, err
	}
	f, err := p.formatted("text", "entities")
	if err == nil && units(f.text) > longestText {
		err = bad("message is too long")
	}
	if err != nil {
		return nil, err
	}
	if p.wasStopped(thread, id) {
		return true, nil
	}
	p.showDraft(thread, id, f)
	return true, nil
}

// wasStopped reports whether Stop was pressed on the draft. It records a
// violation if the bot received the stop more than stopGrace ago.
func (p *play) wasStopped(thread, id int) bool {
	pressed := p.chat.stopped[stopKey(thread, id)]
	if pressed == nil {
		return false
	}
	if !pressed.delivered.IsZero() && p.now.Sub(pressed.delivered) > stopGrace {
		p.violate(p.now, "sendMessageDraft: draft %d of chat %d goes on although the bot was told %v ago that it was stopped",
			id, p.chat.info.ID, p.now.Sub(pressed.delivered).Round(time.Millisecond))
	}
	return true
}

func (p *play) showDraft(thread, id int, f formatted) {
	next := &draft{id: id, formatted: f, canStop: p.q.flag("can_stop"), keep: p.q.flag("keep_on_stop"), at: p.now}
	if before := p.chat.drafts[thread]; before != nil && before.id == id {
		next.animated = before.animated + 1
	}
	p.chat.drafts[thread] = next
}

// PressStop presses the Stop button of the live draft in a private chat,
// outside of all threads.
func (s *Server) PressStop(chat int64) error { return s.PressStopIn(chat, 0) }

// PressStopIn presses the Stop button of the live draft in a thread.
func (s *Server) PressStopIn(chat int64, thread int) (err error) {
	s.change(func(now time.Time) { err = s.pressStop(now, chat, thread) })
	return err
}

func (s *Server) pressStop(now time.Time, id int64, thread int) error {
	c := s.chats[id]
	if c == nil || c.drafts[thread] == nil || !c.drafts[thread].canStop || c.drafts[thread].stopped {
		return errNoDraft
	}
	d, pressed := c.drafts[thread], &stop{}
	c.stopped[stopKey(thread, d.id)] = pressed
	if d.stopped = d.keep; !d.keep {
		delete(c.drafts, thread)
	}
	body := struct {
		Chat   ChatInfo `json:"chat"`
		Thread int      `json:"message_thread_id,omitempty"`
		Draft  int      `json:"draft_id"`
	}{c.info, thread, d.id}
	if !s.queueUpdate(now, "stopped_message_generation", body, func(now time.Time) { pressed.delivered = now }) {
		s.violate(now, "draft %d of chat %d had a Stop button, but allowed_updates leaves stopped_message_generation out", d.id, id)
	}
	return nil
}
