package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
)

// Runner runs actions in the background. Actions that are inOrder run one
// after the other; a stop and an answer overtake them.
type Runner struct {
	Hub    Hub
	Report func(Report)            // receives the results; called from any goroutine
	Keep   func(text string) error // keeps a prompt for later sessions; nil keeps none
	// Clipboard returns the image in the clipboard. May be nil.
	Clipboard func(ctx context.Context) ([]byte, error)

	mu     sync.Mutex
	before chan struct{} // closed when the previous ordered action is done
	under  sync.WaitGroup
	drafts map[int]bellcord.SessionID // sessions created for drafts; used only by ordered actions
}

// Do starts an action and returns immediately.
func (e *Runner) Do(ctx context.Context, a Action) {
	if !a.inOrder() {
		e.under.Go(func() { e.Report(a.do(ctx, e)) })
		return
	}
	done := make(chan struct{})
	e.mu.Lock()
	before := e.before
	e.before = done
	e.mu.Unlock()
	e.under.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		e.Report(a.do(ctx, e))
	})
}

// Wait waits for all actions. After patience it calls callOff, which must
// cancel them. This gives a stop that was requested right before leaving time
// to arrive.
func (e *Runner) Wait(patience time.Duration, callOff func()) {
	late := time.AfterFunc(patience, callOff)
	defer late.Stop()
	e.under.Wait()
}

func (p Prompt) do(ctx context.Context, e *Runner) Report {
	r := Report{Of: p}
	p, r.Err = p.withFiles()
	if r.Err != nil {
		return r
	}
	id := p.Session.ID
	if id == "" {
		id = e.drafts[p.Draft]
	}
	if id == "" {
		made, err := e.Hub.NewSession(ctx, p.Session)
		if err != nil {
			r.Err = fmt.Errorf("create session: %w", err)
			return r
		}
		if e.drafts == nil {
			e.drafts = map[int]bellcord.SessionID{}
		}
		id, e.drafts[p.Draft] = made.ID, made.ID
		r.Session = &made
	}
	r.Err = e.Hub.Prompt(ctx, id, p)
	return r
}

func (s Stop) do(ctx context.Context, e *Runner) Report {
	return Report{Of: s, Err: e.Hub.Stop(ctx, s)}
}

func (a Answer) do(ctx context.Context, e *Runner) Report {
	return Report{Of: a, Err: e.Hub.Answer(ctx, a.Turn, a.Question, a.Reply)}
}

func (a Edit) do(ctx context.Context, e *Runner) Report {
	return Report{Of: a, Err: e.Hub.Edit(ctx, a.Turn, a.Text)}
}

func (a Send) do(ctx context.Context, e *Runner) Report {
	return Report{Of: a, Err: e.Hub.MoveToFront(ctx, a.Turn)}
}

func (c Clear) do(ctx context.Context, e *Runner) Report {
	return Report{Of: c, Err: e.Hub.Clear(ctx, c.Session)}
}

func (c Change) do(ctx context.Context, e *Runner) Report {
	if c.Session == "" {
		return Report{Of: c, Err: e.Hub.Check(ctx, bellcord.Session{Agent: c.Agent, Model: c.To.Model, Mode: c.To.Mode})}
	}
	s, err := e.Hub.Change(ctx, c.Session, c.To)
	if err != nil {
		return Report{Of: c, Err: err}
	}
	return Report{Of: c, Session: &s, Text: settings(s)}
}

func (r Rename) do(ctx context.Context, e *Runner) Report {
	return Report{Of: r, Err: e.Hub.Rename(ctx, r.Session, r.Title)}
}

func (d Delete) do(ctx context.Context, e *Runner) Report {
	return Report{Of: d, Err: e.Hub.Delete(ctx, d.Session)}
}

func (o Open) do(ctx context.Context, e *Runner) Report {
	s, err := e.Hub.Find(ctx, o.Session)
	return Report{Of: o, Err: err, Session: &s}
}

func (b Begin) do(ctx context.Context, e *Runner) Report {
	return Report{Of: b, Err: e.Hub.Check(ctx, b.Like)}
}

func (l ShowList) do(ctx context.Context, e *Runner) Report {
	r := Report{Of: l}
	var names []string
	switch l.At {
	case AtSessions:
		r.Sessions, r.Err = e.Hub.Sessions(ctx)
	case AtModels:
		names, r.Err = e.Hub.Models(ctx)
		r.Text = "models: " + strings.Join(names, ", ")
	case AtAgents:
		names, r.Err = e.Hub.Agents(ctx)
		r.Text = "agents: " + strings.Join(names, ", ")
	case AtCost:
		var spent []bellcord.ModelUsage
		spent, r.Err = e.Hub.Spent(ctx, l.Session)
		r.Text = costs(spent)
	}
	return r
}

func (s Search) do(ctx context.Context, e *Runner) Report {
	found, err := e.Hub.Search(ctx, s.Query)
	return Report{Of: s, Err: err, Found: found}
}

func (f FindFiles) do(ctx context.Context, e *Runner) Report {
	r := Report{Of: f}
	r.Files, r.AllFiles, r.Err = e.Hub.Files(ctx, f.Dir, f.Query, mostRows)
	return r
}

func (r Remember) do(_ context.Context, e *Runner) Report {
	if e.Keep == nil {
		return Report{Of: r}
	}
	return Report{Of: r, Err: e.Keep(r.Text)}
}

func (i EditInput) do(context.Context, *Runner) Report { return Report{Of: i} } // only a terminal can do it

func (r Redraw) do(context.Context, *Runner) Report { return Report{Of: r} } // only a terminal can do it

func (l Leave) do(context.Context, *Runner) Report { return Report{Of: l} }

func (Prompt) inOrder() bool    { return true }
func (Stop) inOrder() bool      { return false }
func (Answer) inOrder() bool    { return false }
func (Edit) inOrder() bool      { return true }
func (Send) inOrder() bool      { return true }
func (Clear) inOrder() bool     { return true }
func (Change) inOrder() bool    { return true }
func (Rename) inOrder() bool    { return true }
func (Delete) inOrder() bool    { return true }
func (Open) inOrder() bool      { return true }
func (Begin) inOrder() bool     { return true }
func (ShowList) inOrder() bool  { return true }
func (FindFiles) inOrder() bool { return false }
func (Search) inOrder() bool    { return false }
func (Remember) inOrder() bool  { return true }
func (EditInput) inOrder() bool { return false }
func (Redraw) inOrder() bool    { return false }
func (Leave) inOrder() bool     { return false }
