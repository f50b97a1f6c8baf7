package line_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// logbook is a source that a test writes to.
type logbook chan bellcord.Event

func (l logbook) Next(ctx context.Context) ([]bellcord.Event, error) {
	select {
	case ev, more := <-l:
		if !more {
			return nil, bellcord.ErrNoSession
		}
		return []bellcord.Event{ev}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l logbook) add(turn bellcord.TurnID, bodies ...bellcord.Body) {
	for _, b := range bodies {
		l <- bellcord.Event{Turn: turn, Body: b}
	}
}

func prompted(text string) bellcord.Body {
	return bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: text}}
}

func ended(end bellcord.End) bellcord.Body {
	r := bellcord.Receipt{End: end, Usage: bellcord.Usage{Exact: true}}
	if end == bellcord.EndStopped {
		r.Cause = &bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Source: "web"}
	}
	return bellcord.TurnEnded{Receipt: r}
}

// paper is an output that can be read while it is written.
type paper struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// stage is a screen under test that records its requests.
type stage struct {
	*line.Screen
	log      logbook
	typed    chan []byte
	shown    paper
	mu       sync.Mutex
	requests []string
	refuse   error
	receipt  *bellcord.Receipt
	err      error
	over     chan struct{}
}

func (s *stage) note(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, what)
	return s.refuse
}

// raise starts a screen; Typed is nil if typed is false.
func raise(ctx context.Context, begin bellcord.TurnID, typed bool) *stage {
	s := &stage{log: make(logbook), over: make(chan struct{})}
	s.Screen = line.NewScreen(&line.View{Out: &s.shown, Err: &s.shown}, begin)
	if typed {
		s.typed = make(chan []byte)
		s.Typed = s.typed
	}
	return s.run(ctx)
}

// raiseOn starts a screen on a terminal that is not waited for.
func raiseOn(ctx context.Context, begin bellcord.TurnID, far io.Writer) *stage {
	s := &stage{log: make(logbook), over: make(chan struct{}), typed: make(chan []byte)}
	out := line.NewOutput(far)
	s.Screen = line.NewScreen(&line.View{Out: out, Err: out}, begin)
	s.Typed, s.Out = s.typed, out
	return s.run(ctx)
}

func (s *stage) run(ctx context.Context) *stage {
	s.Stop = func(_ context.Context, turn bellcord.TurnID, mode bellcord.StopMode) error {
		return s.note("stop " + string(turn) + " " + string(mode))
	}
	s.Answer = func(_ context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error {
		return s.note("answer " + string(turn) + " " + question + " " + r.Choice)
	}
	go func() {
		defer close(s.over)
		s.receipt, s.err = s.Run(ctx, s.log)
	}()
	return s
}

// types presses keys after all events have been shown.
func (s *stage) types(bytes string) {
	synctest.Wait()
	s.typed <- []byte(bytes)
	synctest.Wait()
}

// answers waits until a question can be answered, and types a letter and Enter.
func (s *stage) answers(letter string) {
	synctest.Wait()
	<-time.After(line.Settling)
	s.types(letter)
	s.types("\r")
}

func (s *stage) expect(t *testing.T, shown, requested string) {
	t.Helper()
	synctest.Wait()
	if s.shown.String() != shown {
		t.Errorf("shown\n%s\nwant\n%s", s.shown.String(), shown)
	}
	if got := s.requestLog(); got != requested {
		t.Errorf("asked for %q, want %q", got, requested)
	}
}

// requestLog returns the requests so far.
func (s *stage) requestLog() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.requests, ", ")
}

func TestScreen_BeginTurnGiven_ShowsItAndLaterTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "b", true)
		s.log.add("a", prompted("old"), bellcord.TurnStarted{})
		s.log.add("b", prompted("go"))
		s.log.add("a", bellcord.TextDelta{Text: "long ago"}, ended(bellcord.EndDone))
		s.log.add("c", prompted("held since long ago"))
		s.log.add("b", bellcord.TurnStarted{}, bellcord.TextDelta{Text: "well"})
		s.log.add("d", prompted("and then\x1b[2J"))
		s.log.add("b", ended(bellcord.EndDone))
		s.log.add("c", bellcord.TurnStarted{}, bellcord.TextDelta{Text: "yes\n"}, bellcord.StopRequested{}, ended(bellcord.EndStopped))
		s.types("q")
		<-s.over
		s.expect(t, "> go\nwell\n+ queued: and then␛[2J\n● done · 0 tokens\n"+
			"> held since long ago\nyes\n■ stopping…\n■ stopped by anna, web · 0 tokens\ndetached\n", "")
		if s.receipt != nil || s.err != nil {
			t.Errorf("%v, %v", s.receipt, s.err)
		}
	})
}

func TestScreen_IdleSession_ShowsTheLastTurn(t *testing.T) {
	t.Parallel()
	for _, typed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := raise(t.Context(), "", typed)
			s.log.add("a", prompted("one"), bellcord.TurnStarted{}, bellcord.TextDelta{Text: "1"}, ended(bellcord.EndDone))
			s.log.add("b", prompted("two"), bellcord.TurnStarted{}, bellcord.TextDelta{Text: "2"}, ended(bellcord.EndStopped))
			<-time.After(time.Second)
			want := "> two\n2\n■ stopped by anna, web · 0 tokens\n"
			s.expect(t, want, "")
			if typed {
				s.types("\x03")
				want += "detached\n"
			}
			<-s.over
			s.expect(t, want, "")
			if s.err != nil || (s.receipt != nil) == typed {
				t.Errorf("%v, %v", s.receipt, s.err)
			}
		})
	}
}

func TestScreen_SessionWithoutTurns_ReportsNothingRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "", false)
		<-s.over
		s.expect(t, "Nothing is running.\n", "")
		if s.receipt != nil || s.err != nil {
			t.Errorf("%v, %v", s.receipt, s.err)
		}
	})
}

func TestScreen_WithoutKeys_ShowsOneTurnToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", false)
		s.log.add("a", prompted("go"), bellcord.TurnStarted{}, bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "May I?"}})
		s.log.add("b", prompted("dropped"), ended(bellcord.EndStopped)) // the end of another turn does not end the screen
		s.log.add("a", ended(bellcord.EndStopped))
		<-s.over
		if s.receipt == nil || s.receipt.End != bellcord.EndStopped || s.err != nil || len(s.requests) > 0 {
			t.Errorf("%v, %v, asked for %v", s.receipt, s.err, s.requests)
		}
	})
}

func TestScreen_Esc_StopsAndIsShownAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", true)
		s.log.add("a", prompted("go"), bellcord.TurnStarted{}, bellcord.TextDelta{Text: "half"})
		s.types("\x1b")
		s.expect(t, "> go\nhalf", "")
		<-time.After(line.EscapeWait)
		s.expect(t, "> go\nhalf\n■ stopping…\n", "stop a now")
		s.log.add("a", bellcord.StopRequested{}, ended(bellcord.EndStopped)) // not shown twice
		s.types("\x1b[A")
		s.types("\x04")
		<-s.over
		s.expect(t, "> go\nhalf\n■ stopping…\n■ stopped by anna, web · 0 tokens\ndetached\n", "stop a now")
	})
}

func TestScreen_CtrlCRepeated_StopsThenForcesThenLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", true)
		s.log.add("a", prompted("go"), bellcord.TurnStarted{})
		for range 3 {
			s.types("\x03")
		}
		<-s.over
		s.expect(t, "> go\n■ stopping…\n■ stopping now…\ndetached; the turn keeps running\n", "stop a now, stop a force")
	})
}

func TestScreen_StopNotDelivered_ShowsTheError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", true)
		s.refuse = errors.New("no route")
		s.log.add("a", prompted("go"), bellcord.TurnStarted{})
		s.types("\x03")
		s.expect(t, "> go\n■ stopping…\nstop not delivered: no route; press again\n", "stop a now")
		s.types("q")
		<-s.over
	})
}

func TestScreen_LeaveRightAfterAStop_WaitsForItsDelivery(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{400 * time.Millisecond: 400 * time.Millisecond, time.Minute: time.Second} {
		arrives := took == want
		synctest.Test(t, func(t *testing.T) {
			s := raise(t.Context(), "a", true)
			s.Stop = func(ctx context.Context, _ bellcord.TurnID, _ bellcord.StopMode) error {
				select {
				case <-time.After(took):
					return nil
				case <-ctx.Done():
					return s.note("called off")
				}
			}
			s.log.add("a", prompted("go"), bellcord.TurnStarted{})
			s.types("\x03")
			begun := time.Now()
			s.types("q")
			<-s.over
			if time.Since(begun) != want || (s.requestLog() == "") != arrives {
				t.Errorf("left after %v, %v", time.Since(begun), s.requests)
			}
		})
	}
}

func TestScreen_QuestionOfAHostedAgent_ShowsTheAgentsOwnWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", true)
		s.log.add("a", prompted("go"), bellcord.TurnStarted{}, bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "May q?", Choices: []bellcord.Choice{
			{ID: "1", Text: "Yes", Kind: "allow_once"}, {ID: "2", Text: "Trust npm", Kind: "allow_always"}, {ID: "3", Kind: "reject_once"},
		}}})
		s.answers("a")
		s.expect(t, "> go\n? May q?\n  y: allow once · a: allow “Trust npm” · n: reject; then Enter\n  allow “Trust npm”? Enter confirms, any other key cancels\n", "answer a q 2")
	})
}

func TestScreen_RepeatedAnswerKey_AnswersOnlyTheFirstQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", true)
		ask := func(id string) bellcord.Body {
			return bellcord.QuestionOpened{Question: bellcord.Question{ID: id, Text: "May " + id + "?\x1b[2K", Choices: []bellcord.Choice{{ID: "allow"}, {ID: "allow_always"}, {ID: "reject"}}}}
		}
		s.log.add("a", prompted("go"), bellcord.TurnStarted{}, ask("p"), ask("q"))
		s.types("y")
		s.types("\r") // too early
		s.expect(t, "> go\n? May p?␛[2K\n  y: allow once · a: always allow exactly this · n: reject; then Enter\n? May q?␛[2K\n  y: allow once · a: always allow exactly this · n: reject; then Enter\n", "")
		s.answers("y")
		s.answers("y") // does not answer q
		s.log.add("a", bellcord.QuestionAnswered{Question: "p", Choice: "allow"})
		s.answers("n")
		s.log.add("a", bellcord.QuestionAnswered{Question: "q", Choice: "reject", By: "anna"})
		s.answers("y") // answers nothing
		if !strings.HasSuffix(s.shown.String(), "  answered: allow\n  reject? Enter confirms, any other key cancels\n  answered: reject (anna)\n") || s.requestLog() != "answer a p allow, answer a q reject" {
			t.Errorf("%s%v", s.shown.String(), s.requests)
		}
		s.types("q")
		<-s.over
	})
}

func TestScreen_StopRequested_WithdrawsQuestionsUnlessAfterStep(t *testing.T) {
	t.Parallel()
	for mode, want := range map[bellcord.StopMode]string{bellcord.StopNow: "", bellcord.StopAfterStep: "answer a q allow"} {
		synctest.Test(t, func(t *testing.T) {
			s := raise(t.Context(), "a", true)
			s.log.add("a", prompted("go"), bellcord.TurnStarted{}, bellcord.QuestionOpened{Question: bellcord.Question{ID: "q"}}, bellcord.StopRequested{Cause: bellcord.Cause{Mode: mode}})
			s.answers("y")
			if got := s.requestLog(); got != want {
				t.Errorf("%s: %q", mode, got)
			}
			s.types("q")
			<-s.over
		})
	}
}

func TestScreen_SourceOrContextEnds_Returns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "a", true)
		close(s.log)
		<-s.over
		if !errors.Is(s.err, bellcord.ErrNoSession) {
			t.Error(s.err)
		}
		ctx, done := context.WithTimeout(t.Context(), time.Minute)
		defer done()
		s = raise(ctx, "a", true)
		<-s.over
		if s.err != nil || s.receipt != nil {
			t.Errorf("%v, %v", s.receipt, s.err)
		}
	})
}

func TestLaw05_EscWhileTheAnswerStreamsFast_StopsTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := raise(t.Context(), "one", true)
		s.log.add("one", prompted("go"), bellcord.TurnStarted{})
		s.typed <- []byte("\x1b")
		began := time.Now()
		for range 50 { // faster than EscapeWait
			<-time.After(20 * time.Millisecond)
			s.log.add("one", bellcord.TextDelta{Text: "word "})
		}
		if requested := s.requestLog(); requested != "stop one now" {
			t.Errorf("after %v asked for %q", time.Since(began), requested)
		}
		s.log.add("one", ended(bellcord.EndStopped))
		s.types("q")
		<-s.over
	})
}
