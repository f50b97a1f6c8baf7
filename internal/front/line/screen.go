package line

import (
	"context"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
)

// Screen is a session on a terminal: it shows events, across turns, and handles
// keys. If Typed is nil, it shows one turn.
type Screen struct {
	View  *View
	Typed <-chan []byte // input of a terminal in raw mode; nil if there are no keys
	Out   *Output       // the output of View, if keys must not wait for it
	// Stop and Answer are called in the background, so they may block. Their
	// errors are shown.
	Stop   func(ctx context.Context, turn bellcord.TurnID, mode bellcord.StopMode) error
	Answer func(ctx context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error

	watch     Watch
	keys      Keys
	start     beginning
	answering string // the question that an answer is being sent for
	open      string // the question that keys answer
	shown     time.Time
	reports   chan report
	sending   sync.WaitGroup // stops and answers that are being sent
}

// report is the result of a background request.
type report struct {
	words    string
	question string // the question of an answer that was not delivered
}

const (
	// quiet is how long no event must arrive before the end of the log counts
	// as reached.
	quiet = 300 * time.Millisecond
	// lingering is how long a stop that is being sent may delay the exit.
	lingering = time.Second
)

// NewScreen returns a screen that begins with the given turn, or with the last
// one if begin is empty.
func NewScreen(view *View, begin bellcord.TurnID) *Screen {
	s := &Screen{View: view, watch: Watch{View: view}, reports: make(chan report, 8)}
	s.start = beginning{turn: begin, past: s.watch.note}
	return s
}

// Notify shows a message on the screen. It may be called from any goroutine and
// never blocks: if too many messages are pending, it drops the new one.
func (s *Screen) Notify(words string) { s.printReport(report{words: words}) }

func (s *Screen) printReport(r report) {
	select {
	case s.reports <- r:
	default:
	}
}

// Run shows the events of the source until the user leaves or ctx ends. If
// Typed is nil, it shows one turn and returns its receipt, or nil if the
// session has no turn.
func (s *Screen) Run(ctx context.Context, source Source) (*bellcord.Receipt, error) {
	reading, done := context.WithCancelCause(ctx)
	events, failed := make(chan []bellcord.Event), make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { failed <- read(reading, source, events) })
	beside, callOff := context.WithCancelCause(context.WithoutCancel(ctx))
	receipt, err := s.loop(ctx, beside, events, failed)
	done(nil)
	reader.Wait()
	// This gives a stop that was requested right before leaving time to arrive.
	late := time.AfterFunc(lingering, func() { callOff(nil) })
	s.sending.Wait()
	late.Stop()
	callOff(nil)
	return receipt, err
}

func read(ctx context.Context, source Source, events chan<- []bellcord.Event) error {
	for {
		some, err := source.Next(ctx)
		if err != nil {
			return err
		}
		select {
		case events <- some:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loop is the only goroutine that writes to the screen. Requests of the user
// run in the background.
func (s *Screen) loop(ctx, beside context.Context, events <-chan []bellcord.Event, failed <-chan error) (*bellcord.Receipt, error) {
	idle := time.NewTimer(quiet)
	defer idle.Stop()
	late := false              // Out was behind, so the time without events was not measured
	var lapse <-chan time.Time // runs from an Esc on, even while events are shown
	for {
		coming, quietly := events, idle.C
		var freed <-chan struct{}
		switch {
		case s.Out != nil && s.Out.Behind():
			coming, quietly, freed = nil, nil, s.Out.Freed // events wait in the log
			late = true
		case late:
			late = false
			idle.Reset(quiet)
		}
		switch {
		case !s.keys.Pending():
			lapse = nil
		case lapse == nil:
			lapse = time.After(EscapeWait)
		}
		var step outcome
		select {
		case some := <-coming:
			idle.Reset(quiet)
			step = s.come(some)
		case <-quietly:
			step = s.caughtUp()
		case <-freed:
		case bytes := <-s.Typed:
			step = s.obey(beside, s.keys.Type(bytes, time.Now(), s.situation()))
		case <-lapse:
			lapse = nil
			step = s.obey(beside, s.keys.Lapse(time.Now(), s.situation()))
		case r := <-s.reports:
			step = s.applyReport(r)
		case err := <-failed:
			step = outcome{over: true, err: err}
		case <-ctx.Done():
			step = outcome{over: true}
		}
		if step.over && ctx.Err() != nil {
			return nil, nil // ctx ended the screen
		}
		if step.over || step.err != nil {
			return step.receipt, step.err
		}
	}
}

// outcome is the result of one step of the loop.
type outcome struct {
	over    bool
	receipt *bellcord.Receipt
	err     error
}

// come shows the events that start admits.
func (s *Screen) come(events []bellcord.Event) outcome {
	for _, ev := range events {
		if o := s.showEvents(s.start.admit(ev)); o.over || o.err != nil {
			return o
		}
	}
	return outcome{}
}

// caughtUp shows the last turn once the end of the log is reached.
func (s *Screen) caughtUp() outcome {
	if s.start.open {
		return outcome{}
	}
	o := s.showEvents(s.start.caughtUp())
	if s.start.open && s.start.turn == "" {
		o.over, o.err = s.Typed == nil, s.View.Note("Nothing is running.")
	}
	return o
}

func (s *Screen) showEvents(events []bellcord.Event) outcome {
	for _, ev := range events {
		receipt, err := s.watch.Show(ev)
		if err != nil {
			return outcome{err: err}
		}
		s.situation() // a new first question settles from now on
		if b, asks := ev.Body.(bellcord.QuestionOpened); asks && s.Typed != nil {
			if err := s.View.Note("  %s", keysOf(b.Question)); err != nil {
				return outcome{err: err}
			}
		}
		if receipt == nil {
			continue
		}
		s.keys.TurnEnded()
		if s.Typed == nil && ev.Turn == s.start.turn {
			return outcome{over: true, receipt: receipt}
		}
	}
	return outcome{}
}
