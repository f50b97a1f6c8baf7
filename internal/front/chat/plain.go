package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// Plain is a chat without redrawing, for screen readers and simple terminals.
// It only appends lines, and describes states in words.
type Plain struct {
	Hub        Hub
	Model      *Model // created with Options.Plain
	In         io.Reader
	Out        io.Writer
	Interrupts <-chan time.Time // Ctrl-C
	Flush      func()           // discards typed input that is not read yet; nil if unsupported

	watch         line.Watch
	feed          Feed
	work          Runner
	shownQuestion string // the question that is shown
	open          string // the question that can be answered: it was shown long enough
	opens         <-chan time.Time
	out           *line.Output
}

// Run runs until the user leaves, the input ends or ctx ends. Neither typed
// lines nor Ctrl-C wait for Out.
func (p *Plain) Run(ctx context.Context) error {
	grown, reports := make(chan struct{}, 1), make(chan Report)
	beside, callOff := context.WithCancelCause(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	p.feed = Feed{Hub: p.Hub, Grown: func() {
		select {
		case grown <- struct{}{}:
		default:
		}
	}}
	p.work = Runner{Hub: p.Hub, Report: func(r Report) {
		select {
		case reports <- r:
		case <-ended:
		}
	}}
	p.out = line.NewOutput(p.Out)
	p.watch.View = &line.View{Out: p.out, Err: p.out}
	err := p.loop(ctx, beside, grown, reports)
	close(ended)
	p.feed.Close()
	p.work.Wait(lingering, func() { callOff(nil) })
	callOff(nil)
	return errors.Join(err, p.part(ctx))
}

// part waits until all output is written. On Ctrl-C, or when ctx ends, it
// returns line.ErrDeaf.
func (p *Plain) part(ctx context.Context) error {
	for !p.out.Drained(line.Parting) {
		select {
		case <-p.Interrupts:
			return line.ErrDeaf
		default:
		}
		if ctx.Err() != nil {
			return line.ErrDeaf
		}
	}
	return nil
}

// lingering is how long a stop that is being sent may delay the exit.
const lingering = time.Second

func (p *Plain) loop(ctx, beside context.Context, grown <-chan struct{}, reports <-chan Report) error {
	typed := typedLines(ctx, p.In)
	p.feed.Watch(ctx, p.Model.Session().ID)
	if err := p.watch.View.Note("%s", "bellcord chat, plain. /help lists the commands. Ctrl-C stops a turn."); err != nil {
		return err
	}
	for {
		var actions []Action
		var err error
		ready := grown
		if p.out.Behind() {
			ready = nil // events wait in the log
		}
		select {
		case <-p.out.Freed:
		case <-p.opens:
			err = p.openQuestion()
		case <-ready:
			err = p.showUpdates(p.feed.Take())
		case r := <-reports:
			p.Model.Apply(r)
			err = p.showQuestion()
		case at := <-p.Interrupts:
			actions, err = p.interrupt(at)
		case text, ok := <-typed:
			if !ok {
				return nil
			}
			actions, err = p.typed(text)
		case <-ctx.Done():
			return nil
		}
		if err == nil {
			err = p.writeNew()
		}
		if err != nil {
			return err
		}
		for _, a := range actions {
			if a == (Leave{}) {
				return nil
			}
			p.work.Do(beside, a)
		}
		p.feed.Watch(ctx, p.Model.Session().ID)
	}
}

// showUpdates prints new events.
func (p *Plain) showUpdates(updates Updates) error {
	p.Model.Tick(time.Now())
	p.Model.Take(updates.Events)
	for _, ev := range updates.Events {
		if _, err := p.watch.Show(tame(ev)); err != nil {
			return err
		}
	}
	if updates.Lost != nil {
		p.Model.Lost(updates.Lost)
	}
	if updates.Failed != nil {
		p.Model.Lost(updates.Failed)
	}
	return p.showQuestion()
}

// showQuestion shows the whole call that a new question is about. The question
// cannot be answered immediately, because text typed while it appears was meant
// for something else.
func (p *Plain) showQuestion() error {
	if !p.Model.HasQuestion() || p.Model.questions.asked() == p.shownQuestion {
		return nil
	}
	p.shownQuestion = p.Model.questions.asked()
	p.opens = time.After(line.Settling)
	if p.Model.questions.undo != nil {
		return p.watch.View.Note("%s", ansi.Strip(strings.Join(p.Model.questions.questionLines(plainWidth), "\n")))
	}
	q := p.Model.story.blocks.questions[p.shownQuestion]
	if q == nil {
		return nil
	}
	words := "  in " + harmless(q.dir)
	for _, l := range q.subject(plainWidth) {
		words += "\n" + ansi.Strip(l)
	}
	return p.watch.View.Note("%s", words)
}

// plainWidth is the maximum width of a line of a call; the terminal wraps it.
const plainWidth = 1 << 16

// openQuestion lets lines that are typed from now on answer the question.
func (p *Plain) openQuestion() error {
	p.opens = nil
	if p.Model.questions.asked() != p.shownQuestion {
		return nil
	}
	p.open = p.shownQuestion
	if p.Flush != nil {
		p.Flush()
	}
	return p.watch.View.Note("  %s; then Enter", strings.Join(p.Model.questions.answers(": "), ", "))
}

// typed handles a line. An Esc in it stops the running turn: a terminal that
// reads lines delivers Esc with the line.
func (p *Plain) typed(text string) ([]Action, error) {
	p.Model.Tick(time.Now())
	if strings.ContainsRune(text, '\x1b') && p.Model.Busy() {
		actions := p.Model.requestStop(bellcord.StopNow)
		return actions, p.stopping(actions)
	}
	text = strings.TrimRightFunc(strings.ReplaceAll(text, "\x1b", ""), unicode.IsSpace)
	if f := p.Model.questions.openForm(); f != nil {
		return p.Model.enterField(text), nil
	}
	if text == "" {
		return nil, nil
	}
	if letter := strings.TrimSpace(text); p.Model.questions.offer(letter) != "" {
		if p.open != p.Model.questions.asked() {
			return nil, p.watch.View.Note("  not answered: the question had just appeared. Type it again.")
		}
		return p.Model.questions.answer(letter, ""), nil
	}
	actions := p.Model.Submit(text)
	return actions, p.stopping(actions)
}

func (p *Plain) interrupt(at time.Time) ([]Action, error) {
	actions := p.Model.Interrupt(at)
	return actions, p.stopping(actions)
}

// stopping shows immediately that a stop is being sent.
func (p *Plain) stopping(actions []Action) error {
	for _, a := range actions {
		if s, is := a.(Stop); is && p.watch.Running() != "" && (s.Turn == "" || s.Turn == p.watch.Running()) {
			words := "stopping…"
			if s.Mode == bellcord.StopForce {
				words = "stopping now…"
			}
			return p.watch.Stopping(words)
		}
	}
	return nil
}

func (p *Plain) writeNew() error {
	for _, words := range p.Model.Words() {
		if err := p.watch.View.Note("%s", words); err != nil {
			return err
		}
	}
	return nil
}

// typedLines reads lines in a goroutine. A blocked read cannot be cancelled, so
// the goroutine may outlive ctx.
func typedLines(ctx context.Context, in io.Reader) <-chan string {
	typed := make(chan string)
	go func() {
		defer close(typed)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			select {
			case typed <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return typed
}

// tame returns the event with its texts made harmless for a terminal.
func tame(ev bellcord.Event) bellcord.Event {
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		b.Text = harmless(b.Text)
		ev.Body = b
	case bellcord.ToolCallRequested:
		b.Name, b.Arguments = harmless(b.Name), json.RawMessage(harmless(subject(b.Arguments)))
		ev.Body = b
	case bellcord.ToolCallUpdated:
		if b.Arguments != nil {
			b.Arguments = json.RawMessage(harmless(subject(b.Arguments)))
		}
		ev.Body = b
	case bellcord.PlanUpdated:
		b.Entries = slices.Clone(b.Entries)
		for i := range b.Entries {
			b.Entries[i].Text = harmless(b.Entries[i].Text)
		}
		ev.Body = b
	case bellcord.ToolCallEnded:
		b.Result = printed(b.Result)
		ev.Body = b
	case bellcord.QuestionOpened:
		if b.Question.Title != "" && len(b.Question.Changes) > 0 { // Plain shows the changes
			b.Question.Text = b.Question.Title
		}
		ev.Body = b
	case bellcord.ModelRetryScheduled:
		b.Reason = harmless(b.Reason)
		ev.Body = b
	case bellcord.ProcessConfirmed:
		b.Process.Name = harmless(b.Process.Name)
		ev.Body = b
	case bellcord.ProcessesRecovered:
		b.Processes.Survivors, b.Processes.Ended = tameProcesses(b.Processes.Survivors), tameProcesses(b.Processes.Ended)
		ev.Body = b
	case bellcord.TurnEnded:
		b.Receipt = tameReceipt(b.Receipt)
		ev.Body = b
	}
	return ev
}

func tameReceipt(r bellcord.Receipt) bellcord.Receipt {
	r.Error = harmless(r.Error)
	if r.Cause != nil {
		cause := *r.Cause
		cause.By, cause.Source, cause.Reason = harmless(cause.By), harmless(cause.Source), harmless(cause.Reason)
		r.Cause = &cause
	}
	r.Processes.Survivors = tameProcesses(r.Processes.Survivors)
	r.Processes.Unconfirmed = tameProcesses(r.Processes.Unconfirmed)
	return r
}

func tameProcesses(processes []bellcord.Process) []bellcord.Process {
	tamed := make([]bellcord.Process, len(processes))
	for i, p := range processes {
		p.Name = harmless(p.Name)
		tamed[i] = p
	}
	return tamed
}
