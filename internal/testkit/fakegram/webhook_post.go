package fakegram

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	postPatience = 30 * time.Second
	firstBackOff = time.Second
	longestPause = time.Minute
)

// post sends updates to a webhook in order until the webhook is removed. It
// retries a failed update with exponential backoff; later updates wait.
func (s *Server) post(h *webhook) {
	pause := firstBackOff
	for {
		u := s.nextPost(h)
		if u == nil {
			return
		}
		err := s.postOne(h, u)
		s.posted(h, u, err)
		if err == nil {
			pause = firstBackOff
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-h.quit:
			timer.Stop()
			return
		}
		pause = min(2*pause, longestPause)
	}
}

// nextPost waits for an update. It returns nil when the webhook is removed.
func (s *Server) nextPost(h *webhook) *update {
	for {
		var first *update
		var changed <-chan struct{}
		s.read(func(time.Time) {
			changed = s.changed
			if len(s.inbox.pending) > 0 {
				first = s.inbox.pending[0]
			}
		})
		select {
		case <-h.quit:
			return nil
		default:
		}
		if first != nil {
			return first
		}
		select {
		case <-changed:
		case <-h.quit:
			return nil
		}
	}
}

func (s *Server) postOne(h *webhook, u *update) error {
	ctx, done := context.WithTimeout(context.Background(), postPatience)
	defer done()
	over := make(chan struct{})
	defer close(over)
	go func() { // removing the webhook cancels the request
		select {
		case <-h.quit:
			done()
		case <-over:
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(u.raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if h.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.secret)
	}
	resp, err := s.poster.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("Wrong response from the webhook: %s", resp.Status) //nolint:staticcheck // Telegram's words
	}
	return s.checkReply(resp.Body)
}

// checkReply records a violation for a method in the reply. Telegram would
// execute it, but this server does not, and the bot would never get its result.
func (s *Server) checkReply(body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, 1<<20))
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte(`"method"`)) {
		s.change(func(now time.Time) { s.violate(now, "a method in the reply to a webhook is not played here") })
	}
	return nil
}

// posted removes a delivered update from the inbox, or records the error.
func (s *Server) posted(h *webhook, u *update, err error) {
	s.change(func(now time.Time) {
		if err != nil {
			h.lastError, h.lastErrorAt = err.Error(), now
			return
		}
		s.inbox.confirm(u.id + 1)
		if u.onDelivery != nil {
			u.onDelivery(now)
		}
	})
}
