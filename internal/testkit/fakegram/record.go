package fakegram

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Call is the record of one call of a method.
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

// Violation is a sentence about something that a good bot never does.
type Violation struct {
	At    time.Time `json:"at"`
	Words string    `json:"words"`
}

// violate must be called with the lock held.
func (s *Server) violate(now time.Time, format string, args ...any) {
	v := Violation{At: now, Words: fmt.Sprintf(format, args...)}
	s.violations = append(s.violations, v)
	s.logger.Warn("violation", "what", v.Words)
}

// Calls returns every call so far, in order of arrival.
func (s *Server) Calls() []Call {
	var out []Call
	s.look(func(time.Time) {
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

// Violations returns, in the order in which they were seen, what a good bot
// would not have done.
func (s *Server) Violations() []string {
	var out []string
	s.look(func(time.Time) {
		for _, v := range s.violations {
			out = append(out, v.Words)
		}
	})
	return out
}

// Wait blocks until holds, which is asked at once, after every change, and when
// time alone changes something, or until ctx ends. holds asks the server itself.
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

// WaitChat blocks until a chat looks as it should and returns how it looked.
func (s *Server) WaitChat(ctx context.Context, id int64, looks func(View) bool) (View, error) {
	var view View
	err := s.Wait(ctx, func() bool {
		view = s.Chat(id)
		return looks(view)
	})
	return view, err
}

// watch must be asked before the state that is waited for is looked at.
func (s *Server) watch() (<-chan struct{}, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(time.Now())
	return s.changed, s.due()
}

// pause waits for a change, for the moment due if there is one, or for the end
// of ctx, which is the only error.
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
