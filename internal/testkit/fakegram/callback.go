package fakegram

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

const queryLife = 15 * time.Second

// query is a press of an inline button that waits for the bot's answer.
type query struct {
	id        string
	user      int64
	chat      int64
	data      string
	at        time.Time
	delivered bool // delivered to the bot
	answered  bool
	closed    bool // answered or expired
	text      string
	alert     bool
	until     time.Time // the page shows the answer until then
}

func (q *query) deadline() time.Time { return q.at.Add(queryLife) }

// settleQueries closes expired queries. An unanswered query is a violation only
// if it was delivered to the bot.
func (s *Server) settleQueries(now time.Time) {
	for _, q := range s.queries {
		if q.closed || now.Before(q.deadline()) {
			continue
		}
		q.closed = true
		if q.delivered && !q.answered {
			s.violate(q.deadline(), "callback query %s (data %q) was not answered within %v", q.id, q.data, queryLife)
		}
	}
}

func (p *play) answerQuery() (any, error) {
	at := slices.IndexFunc(p.queries, func(q *query) bool { return q.id == p.q.params["callback_query_id"] })
	if at < 0 || p.queries[at].closed {
		return nil, bad("query is too old and response timeout expired or query ID is invalid")
	}
	text := p.q.params["text"]
	if units(text) > longestToast {
		return nil, bad("MESSAGE_TOO_LONG")
	}
	q := p.queries[at]
	q.answered, q.closed, q.text, q.alert = true, true, text, p.q.flag("show_alert")
	q.until = p.now.Add(4 * time.Second)
	return true, nil
}

// Press presses a button as a person and returns the ID of the query.
func (s *Server) Press(user int64, b Button) (id string, err error) {
	s.change(func(now time.Time) { id, err = s.press(now, user, b) })
	return id, err
}

func (s *Server) press(now time.Time, user int64, b Button) (string, error) {
	from, known := s.user(user)
	c := s.chats[b.Chat]
	if !known || c == nil || !c.holds(user) {
		return "", fmt.Errorf("nobody with number %d is in chat %d", user, b.Chat)
	}
	m := c.find(b.Message)
	if m == nil || !slices.ContainsFunc(m.buttons(), func(have Button) bool { return have.Data == b.Data && b.Data != "" }) {
		return "", errors.New("the button is not there any more")
	}
	q := &query{id: strconv.Itoa(4_000_000 + len(s.queries)), user: user, chat: b.Chat, data: b.Data, at: now}
	s.queries = append(s.queries, q)
	body := struct {
		ID       string  `json:"id"`
		From     User    `json:"from"`
		Message  Message `json:"message"`
		Instance string  `json:"chat_instance"`
		Data     string  `json:"data"`
	}{q.id, from, *m, strconv.FormatInt(b.Chat, 10), b.Data}
	if !s.queueUpdate(now, "callback_query", body, func(time.Time) { q.delivered = true }) {
		s.violate(now, "button %q was pressed, but allowed_updates leaves callback_query out", b.Data)
	}
	return q.id, nil
}

// Answered returns the bot's answer to a press; ok is false until the query is
// answered.
func (s *Server) Answered(queryID string) (text string, alert, ok bool) {
	s.read(func(time.Time) {
		for _, q := range s.queries {
			if q.id == queryID {
				text, alert, ok = q.text, q.alert, q.answered
			}
		}
	})
	return text, alert, ok
}
