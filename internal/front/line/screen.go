package line

import (
	"context"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
)

// Screen is a session on a terminal: what happens is shown, across turns, and
// keys are obeyed. Where nobody can type it shows one turn.
type Screen struct {
	View  *View
	Typed <-chan []byte // what comes from a terminal in raw mode; nil where nobody can type
	Out   *Output       // where View writes, if nobody is to wait for it: keys are obeyed however far it is behind
	// Stop and Answer are called beside what is shown, so they may take their
	// time. What they return is shown.
	Stop   func(ctx context.Context, turn bellcord.TurnID, mode bellcord.StopMode) error
	Answer func(ctx context.Context, turn bellcord.TurnID, question, choice string) error

	watch     Watch
	keys      Keys
	start     beginning
	answering string // the question whose answer is on its way
	open      string // the question that keys are for
	shown     time.Time
	reports   chan report
	asked     sync.WaitGroup // stops and answers that are on their way
}

// report is what became of something that was done beside.
type report struct {
	words    string
	question string // whose answer did not arrive
}

const (
	// quiet is how long a log says nothing when it has come to its present end.
	quiet = 300 * time.Millisecond
	// lingering is how long a stop on its way keeps who leaves.
	lingering = time.Second
)

// NewScreen returns a screen that begins with the given turn, or with the last
// one when that is empty.
func NewScreen(view *View, begin bellcord.TurnID) *Screen {
	s := &Screen{View: view, watch: Watch{View: view}, reports: make(chan report, 8)}
	s.start = beginning{turn: begin, past: s.watch.note}
	return s
}

// Tell has something said on the screen, from any goroutine. It does not wait:
// when there is too much to say, something is left out.
func (s *Screen) Tell(words string) { s.printReport(report{words: words}) }

func (s *Screen) printReport(r report) {
	select {
	case s.reports <- r:
	default:
	}
}

// Run shows what the source has until the person leaves or ctx ends. Where
// nobody can type, it shows the one turn and returns its receipt, nil when there
// is no turn.
func (s *Screen) Run(ctx context.Context, source Source) (*bellcord.Receipt, error) {
	reading, done := context.WithCancelCause(ctx)
	events, failed := make(chan []bellcord.Event), make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { failed <- read(reading, source, events) })
	beside, callOff := context.WithCancelCause(context.WithoutCancel(ctx))
	receipt, err := s.loop(ctx, beside, events, failed)
	done(nil)
	reader.Wait()
	// Who leaves right behind a stop wants it to arrive.
	late := time.AfterFunc(lingering, func() { callOff(nil) })
	s.asked.Wait()
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

// loop is the one goroutine that writes on the screen. What a person asks for is
// done beside it.
func (s *Screen) loop(ctx, beside context.Context, events <-chan []bellcord.Event, failed <-chan error) (*bellcord.Receipt, error) {
	idle := time.NewTimer(quiet)
	defer idle.Stop()
	late := false              // Out was behind: how long the log is quiet was not seen
	var lapse <-chan time.Time // runs from an Esc on, however much is shown meanwhile
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
			step = s.hear(r)
		case err := <-failed:
			step = outcome{over: true, err: err}
		case <-ctx.Done():
			step = outcome{over: true}
		}
		if step.over && ctx.Err() != nil {
			return nil, nil // whoever ended it wants to leave
		}
		if step.over || step.err != nil {
			return step.receipt, step.err
		}
	}
}

// outcome is what one thing that happened means for the whole.
type outcome struct {
	over    bool
	receipt *bellcord.Receipt
	err     error
}

// come shows events, those that it is time for.
func (s *Screen) come(events []bellcord.Event) outcome {
	for _, ev := range events {
		if o := s.showEvents(s.start.admit(ev)); o.over || o.err != nil {
			return o
		}
	}
	return outcome{}
}

// caughtUp shows the last turn, when there is nothing newer to wait for.
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
		s.situation() // a question that is the first now stands from now on
		if _, asks := ev.Body.(bellcord.QuestionOpened); asks && s.Typed != nil {
			if err := s.View.Note("  y: allow once · a: always allow exactly this · n: reject; then Enter"); err != nil {
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
