// Package tty shows a conversation on a terminal and passes on what is typed. It
// is the only room that knows how terminals work.
package tty

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
)

const (
	// lingering is how long a stop on its way keeps who leaves.
	lingering = time.Second
	// beat is how often the clock on the screen is looked at.
	beat = 100 * time.Millisecond
)

// Run shows the model until the person leaves or ctx ends, and gives the terminal
// back as it was, if it takes that: neither a key nor ctx waits for the terminal.
func Run(ctx context.Context, hub chat.Hub, model *chat.Model) error {
	beside, callOff := context.WithCancelCause(context.WithoutCancel(ctx))
	defer callOff(nil)
	s := &screen{ctx: ctx, beside: beside, model: model}
	s.out = &terminal{Output: line.NewOutput(os.Stdout), file: os.Stdout}
	program := tea.NewProgram(s, tea.WithOutput(s.out), tea.WithoutSignalHandler())
	// The end of ctx is a quit like any other. Given to the library, it would be a
	// kill, which closes the reader of keys below its reading goroutine.
	defer context.AfterFunc(ctx, program.Quit)()
	s.feed = &chat.Feed{Hub: hub, Grown: func() { program.Send(grown{}) }}
	s.errands = &chat.Errands{Hub: hub, Tell: func(r chat.Report) { program.Send(r) }}
	s.feed.Watch(ctx, model.Session().ID)
	_, err := program.Run()
	s.feed.Close()
	s.errands.Wait(lingering, func() { callOff(nil) })
	if !s.out.Drained(line.Parting) {
		return line.ErrDeaf
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil // whoever ended it wants to leave
	}
	return err
}

// screen is the model as the terminal's library wants it.
type screen struct {
	ctx, beside   context.Context //nolint:containedctx // of the one run it is for
	model         *chat.Model
	feed          *chat.Feed
	errands       *chat.Errands
	width, height int
	out           *terminal
	shown         tea.View // last
	drawn         bool     // there is one
}

type (
	grown  struct{} // the feed has something
	freed  struct{} // the terminal has taken all: it is shown what it missed
	ticked time.Time
)

func tick() tea.Cmd { return tea.Tick(beat, func(at time.Time) tea.Msg { return ticked(at) }) }

// caughtUp waits until a terminal that was behind has taken all.
func (s *screen) caughtUp() tea.Msg {
	<-s.out.Freed
	return freed{}
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return tea.Batch(tick(), s.caughtUp) }

// Update implements tea.Model. It waits for nothing.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
		s.out.resized.Store(true)
	case tea.KeyPressMsg:
		return s, s.obey(s.model.Press(msg.Keystroke(), msg.Text, time.Now()))
	case tea.KeyboardEnhancementsMsg:
		if msg.SupportsKeyDisambiguation() {
			s.model.Distinct()
		}
	case uv.UnknownEvent:
		return s, s.obey(s.model.Unknown(string(msg), time.Now()))
	case uv.UnknownSs3Event:
		return s, s.obey(s.model.Unknown(string(msg), time.Now()))
	case uv.UnknownDcsEvent:
		return s, s.obey(s.model.Unknown(string(msg), time.Now()))
	case tea.PasteMsg:
		s.model.Paste(msg.Content)
	case ticked:
		s.model.Tick(time.Time(msg))
		return s, tick()
	case freed:
		return s, s.caughtUp
	case grown:
		s.showNews(s.feed.Take())
	case chat.Report:
		s.model.Hear(msg)
		s.feed.Watch(s.ctx, s.model.Session().ID)
	}
	return s, nil
}

func (s *screen) obey(actions []chat.Action) tea.Cmd {
	for _, a := range actions {
		if a == (chat.Leave{}) {
			return tea.Quit
		}
		s.errands.Do(s.beside, a)
	}
	s.feed.Watch(s.ctx, s.model.Session().ID)
	return nil
}

func (s *screen) showNews(news chat.News) {
	s.model.Tick(time.Now())
	s.model.Take(news.Events)
	for _, err := range []error{news.Lost, news.Failed} {
		if err != nil {
			s.model.Lost(err)
		}
	}
}

// View implements tea.Model. A terminal that is behind is shown nothing new: what
// is written to it would only pile up.
func (s *screen) View() tea.View {
	if s.drawn && s.out.Behind() {
		return s.shown
	}
	shown := s.model.Screen(s.width, s.height)
	view := tea.NewView(strings.Join(shown.Lines, "\n"))
	view.AltScreen = true
	if len(shown.Lines) > 0 {
		view.Cursor = tea.NewCursor(shown.X, shown.Y)
	}
	s.shown, s.drawn = view, true
	return view
}
