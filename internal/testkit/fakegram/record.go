package fakegram

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Call records one call of a method.
type Call struct {
	N      int               `json:"n"` // 1 for the first
	At     time.Time         `json:"at"`
	Method string            `json:"method"`
	Params map[string]string `json:"params"`          // JSON values other than strings as they came
	Files  map[string]string `json:"files,omitempty"` // names of uploads by field
	Chat   int64             `json:"chat,omitempty"`  // of chat_id, where it is a number

	Answered time.Time `json:"answered,omitzero"` // zero while it is under way, and if its answer was lost
	Status   int       `json:"status"`            // 0 until then
	Answer   string    `json:"answer"`            // the body
}

// Violation describes something that a correct bot never does.
type Violation struct {
	At    time.Time `json:"at"`
	Words string    `json:"words"`
}

// violate records a violation. The caller must hold the lock.
func (s *Server) violate(now time.Time, format string, args ...any) {
	v := Violation{At: now, Words: fmt.Sprintf(format, args...)}
	s.violations = append(s.violations, v)
	s.logger.Warn("violation", "what", v.Words)
}

// Calls returns all calls so far, in order of arrival.
func (s *Server) Calls() []Call {
	var out []Call
	s.read(func(time.Time) {
		for _, c := range s.calls {
			out = append(out, c.copied())
		}
	})
	return out
}

// CallsOf returns the calls of one method.
func (s *Server) CallsOf(method string) []Call {
	return slices.DeleteFunc(s.Calls(), func(c Call) bool { return c.Method != method })
}

func (c *Call) copied() Call {
	out := *c
	out.Params, out.Files = maps.Clone(c.Params), maps.Clone(c.Files)
	return out
}

// Violations returns the texts of all violations, in the order of their
// detection.
func (s *Server) Violations() []string {
	var out []string
	s.read(func(time.Time) {
		for _, v := range s.violations {
			out = append(out, v.Words)
		}
	})
	return out
}

// Wait blocks until holds returns true, or until ctx ends. It calls holds
// immediately, after every change, and when elapsed time causes one. holds may
// call methods of the server.
func (s *Server) Wait(ctx context.Context, holds func() bool) error {
	for {
		changed, due := s.watch()
		if holds() {
			return nil
		}
		if err := pause(ctx, changed, due); err != nil {
			return fmt.Errorf("wait for the fake Telegram: %w", err)
		}
	}
}

// WaitChat blocks until matches returns true for a chat and returns the view that
// matched.
func (s *Server) WaitChat(ctx context.Context, id int64, matches func(View) bool) (View, error) {
	var view View
	err := s.Wait(ctx, func() bool {
		view = s.Chat(id)
		return matches(view)
	})
	return view, err
}

// watch returns the channel that the next change closes and the time of the
// next timed change. Call it before reading the state to wait for.
func (s *Server) watch() (<-chan struct{}, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(time.Now())
	return s.changed, s.due()
}

// pause waits for a change or, if due is not zero, for that time. It returns an
// error only if ctx ends first.
func pause(ctx context.Context, changed <-chan struct{}, due time.Time) error {
	var alarm <-chan time.Time
	if !due.IsZero() {
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-changed:
	case <-alarm:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
