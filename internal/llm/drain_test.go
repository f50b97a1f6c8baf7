package llm_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// slowModel says a word each second, ten of them, then what it cost; it says
// nothing for a while first.
type slowModel struct{ silent time.Duration }

func (m slowModel) Ask(ctx context.Context, _ llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	for i := range 10 {
		wait := time.Second
		if i == 0 {
			wait += m.silent
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return llm.Reply{}, context.Cause(ctx)
		}
		if err := emit(bellcord.TextDelta{Text: "word "}); err != nil {
			return llm.Reply{}, err
		}
	}
	return llm.Reply{Finish: "stop", Usage: &bellcord.Usage{InputTokens: 7, OutputTokens: 10, Exact: true}}, nil
}

func TestAStoppedAnswerIsReadOnForItsUsageAndNoLonger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		silent, drain, stop, ends time.Duration
		words                     int
		exact                     bool
	}{
		"the end comes in time":              {0, 6 * time.Second, 5500 * time.Millisecond, 10 * time.Second, 5, true},
		"the end does not come":              {0, 2 * time.Second, 5500 * time.Millisecond, 7500 * time.Millisecond, 5, false},
		"before the first word, it hangs up": {time.Minute, 2 * time.Second, 5500 * time.Millisecond, 5500 * time.Millisecond, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer time.AfterFunc(c.stop, func() { cancel(errStopped) }).Stop()
				began, words := time.Now(), 0
				reply, err := llm.Draining{Model: slowModel{c.silent}, For: c.drain}.Ask(ctx, llm.Request{}, func(bellcord.Body) error {
					words++
					return nil
				})
				if err != errStopped || time.Since(began) != c.ends || words != c.words { //nolint:errorlint // the cause itself
					t.Errorf("ended with %v after %v and %d words", err, time.Since(began), words)
				}
				if (reply.Usage != nil) != c.exact || reply.Finish != "" {
					t.Errorf("reply %+v", reply)
				}
			})
		})
	}
}

func TestAnAnswerThatIsNotStoppedIsNotTouched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reply, err := llm.Draining{Model: slowModel{}, For: time.Second}.Ask(t.Context(), llm.Request{}, func(bellcord.Body) error { return nil })
		if err != nil || reply.Finish != "stop" || reply.Usage == nil {
			t.Errorf("reply %+v, %v", reply, err)
		}
	})
}
