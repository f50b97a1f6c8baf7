// Package tty shows a conversation on a terminal and passes on what is typed.
// It is the only package that handles the details of terminals.
package tty

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/bellcord/bellcord/internal/clipboard"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
)

const (
	// lingering is how long a stop that is being sent may delay the exit.
	lingering = time.Second
	// beat is the interval at which the clock on the screen is updated.
	beat = 100 * time.Millisecond
)

// Options configures Run.
type Options struct {
	Keep   func(text string) error // keeps a prompt for later sessions; nil keeps none
	Notify bool                    // the terminal shows a notice while another window has the focus
}

// Run shows the model until the user leaves or ctx ends, and then restores the
// terminal. Neither a key nor ctx waits for the terminal: if it does not accept
// the remaining output, Run returns line.ErrDeaf.
func Run(ctx context.Context, hub chat.Hub, model *chat.Model, o Options) error {
	beside, callOff := context.WithCancelCause(context.WithoutCancel(ctx))
	defer callOff(nil)
	s := &screen{ctx: ctx, background: beside, model: model, notifies: o.Notify}
	s.out = &terminal{Output: line.NewOutput(os.Stdout), file: os.Stdout}
	s.inline = &inline{out: s.out, focus: o.Notify}
	program := tea.NewProgram(s, tea.WithOutput(silent{s.out}), tea.WithoutSignalHandler())
	// The end of ctx is handled as a quit. If the library got ctx, it would
	// kill the program, which closes the key reader while its goroutine still
	// reads.
	defer context.AfterFunc(ctx, program.Quit)()
	s.feed = &chat.Feed{Hub: hub, Grown: func() { program.Send(grown{}) }}
	s.runner = &chat.Runner{Hub: hub, Report: func(r chat.Report) { program.Send(r) }, Keep: o.Keep, Clipboard: clipboard.Image}
	s.feed.Watch(ctx, model.Session().ID)
	_, err := program.Run()
	s.closeInline()
	s.feed.Close()
	s.runner.Wait(lingering, func() { callOff(nil) })
	if !s.out.Drained(line.Parting) {
		return line.ErrDeaf
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil // ctx ended the program
	}
	return err
}

// screen adapts the model to tea.Model.
type screen struct {
	ctx, background context.Context //nolint:containedctx // the contexts of one Run
	model           *chat.Model
	feed            *chat.Feed
	runner          *chat.Runner
	width, height   int
	out             *terminal
	inline          *inline
	drawnAt         time.Time
	delayed         bool // a frame is due later
	notifies        bool // the user wants notices
	away            bool // another window has the focus
}

type (
	grown  struct{} // the feed has updates
	freed  struct{} // the terminal has accepted all output: draw what it missed
	ticked time.Time
)

func tick() tea.Cmd { return tea.Tick(beat, func(at time.Time) tea.Msg { return ticked(at) }) }

// caughtUp waits until a terminal that was behind has accepted all output.
func (s *screen) caughtUp() tea.Msg {
	<-s.out.Freed
	return freed{}
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return tea.Batch(tick(), s.caughtUp) }

// Update implements tea.Model. It never blocks.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return s, tea.Batch(s.handle(msg), s.refreshInline(msg))
}

func (s *screen) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return s.obey(s.model.Press(msg.Keystroke(), msg.Text, time.Now()))
	case tea.KeyboardEnhancementsMsg:
		if msg.SupportsKeyDisambiguation() {
			s.model.Distinct()
		}
	case uv.UnknownEvent:
		return s.obey(s.model.Unknown(string(msg), time.Now()))
	case uv.UnknownSs3Event:
		return s.obey(s.model.Unknown(string(msg), time.Now()))
	case uv.UnknownDcsEvent:
		return s.obey(s.model.Unknown(string(msg), time.Now()))
	case tea.BackgroundColorMsg:
		s.model.Background(msg.IsDark())
	case edited:
		s.model.Edited(msg.text, msg.err)
	case tea.PasteMsg:
		return s.obey(s.model.Paste(msg.Content))
	case ticked:
		s.model.Tick(time.Time(msg))
		return tick()
	case freed:
		return s.caughtUp
	case tea.FocusMsg:
		s.away = false
	case tea.BlurMsg:
		s.away = true
	case grown:
		s.showUpdates(s.feed.Take())
		s.notify()
	case chat.Report:
		s.model.Apply(msg)
		s.feed.Watch(s.ctx, s.model.Session().ID)
	}
	return nil
}

func (s *screen) obey(actions []chat.Action) tea.Cmd {
	var cmd tea.Cmd
	for _, a := range actions {
		switch a := a.(type) {
		case chat.Leave:
			return tea.Quit
		case chat.EditInput:
			cmd = s.editInput(a.Text)
		case chat.Redraw:
			s.inline.rows = nil
		default:
			s.runner.Do(s.background, a)
		}
	}
	s.feed.Watch(s.ctx, s.model.Session().ID)
	return cmd
}

func (s *screen) showUpdates(updates chat.Updates) {
	s.model.Tick(time.Now())
	s.model.Take(updates.Events)
	if updates.AtEnd {
		s.model.CaughtUp()
	}
	for _, err := range []error{updates.Lost, updates.Failed} {
		if err != nil {
			s.model.Lost(err)
		}
	}
}

// View implements tea.Model. It is empty, because the screen draws itself.
func (s *screen) View() tea.View { return tea.View{} }
