package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// Run is one turn that a user follows to its end.
type Run struct {
	Config   Config
	Turn     bellcord.TurnID
	Text     string
	Session  string // id of a session or a part of it, "" for a new session
	Continue bool   // use the newest session of Dir
	Dir      string // directory of a new session
	// AdditionalDirs are further directories of the session; nil leaves those
	// that the session has. They cannot be on a server.
	AdditionalDirs []string
	// Agent, Model and Mode are the requested settings. Empty ones are left to
	// the session or the server.
	Agent, Model, Mode string
	// Deadline and the fields below limit a turn on a server. In this process,
	// the limits in the settings apply.
	Deadline  time.Duration
	MaxSteps  int
	MaxTokens int64
	MaxCost   float64 // in dollars

	View *line.View
	// OnSignal calls stop for every signal, with the number of interrupts so
	// far, until over is closed or the returned function is called.
	OnSignal func(over <-chan struct{}, stop func(sig os.Signal, interrupts int)) func()
}

// Do runs the turn on the server in the Config or in this process, shows it,
// and returns its receipt.
func (r Run) Do(ctx context.Context) (bellcord.Receipt, error) {
	c := r.Config.App.Settings
	if r.Session == "" { // a rejected prompt creates no session; the server may have another agent
		if _, err := slash.Prompt(r.Text, c.Agent != "" || r.Config.Server != ""); err != nil {
			return bellcord.Receipt{}, err
		}
	}
	if r.Config.Server != "" {
		if _, err := AdditionalDirs(r.AdditionalDirs, true); err != nil {
			return bellcord.Receipt{}, err
		}
		remote, err := Dial(r.Config)
		if err != nil {
			return bellcord.Receipt{}, err
		}
		return r.doRemote(ctx, remote)
	}
	a, err := app.Open(ctx, r.Config.App)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	receipt, err := r.doLocal(ctx, a)
	return receipt, errors.Join(err, a.Close())
}

func (r Run) doLocal(ctx context.Context, a *app.App) (bellcord.Receipt, error) {
	if err := r.checkTurn(ctx, a); err != nil {
		return bellcord.Receipt{}, err
	}
	session, err := r.openSession(ctx, a)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	prompt := app.PromptLimits(r.Config.App.Settings)
	prompt.Turn, prompt.OnDisconnect = r.Turn, bellcord.StopOnDisconnect
	if prompt.Text, err = slash.Prompt(r.Text, session.Agent != ""); err != nil {
		return bellcord.Receipt{}, err
	}
	after, err := a.Hub.Tail(ctx, session.ID)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	turn, err := a.Hub.Prompt(session.ID, prompt)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	defer r.OnSignal(turn.Settled(), func(sig os.Signal, interrupts int) {
		req := bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CauseShutdown, By: sig.String(), Source: "run"})
		if sig == os.Interrupt {
			req.Cause = bellcord.Cause{Kind: bellcord.CausePerson, By: "Ctrl-C", Source: "run"}
		}
		if interrupts > 1 {
			req.Mode = bellcord.StopForce
		}
		a.Hub.Stop(req)
	})()
	receipt, err := r.View.FollowHub(ctx, a.Hub, turn, after)
	if errors.Is(err, line.ErrOutput) {
		a.Hub.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CauseDisconnect, By: "output closed", Source: "run"}))
		<-turn.Settled()
		receipt = turn.Receipt()
	}
	return receipt, err
}

// checkTurn resolves the session, and returns an error for a turn that cannot
// run before a session is created for it.
func (r *Run) checkTurn(ctx context.Context, a *app.App) error {
	if err := r.findSession(ctx, Local{App: a}); err != nil {
		return err
	}
	c := r.Config.App.Settings
	agent, model := c.Agent, app.DefaultModel(c)
	if r.Session != "" {
		s, err := a.Hub.Session(ctx, bellcord.SessionID(r.Session))
		if err != nil {
			return err
		}
		agent, model = s.Agent, cmp.Or(r.Model, s.Model)
	}
	if err := isDirectory(r.Dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	var err error
	if r.AdditionalDirs, err = AdditionalDirs(r.AdditionalDirs, false); err != nil {
		return err
	}
	if agent == "" {
		return a.Models.Check(model)
	}
	d, err := app.AgentDefinition(c, agent)
	if err == nil {
		_, err = d.Find()
	}
	return err
}

// findSession replaces a part of a session's id with the id, or finds the
// session to continue.
func (r *Run) findSession(ctx context.Context, at Backend) error {
	switch {
	case r.Session != "":
		id, err := FindSession(ctx, at, r.Session)
		r.Session = string(id)
		return err
	case r.Continue:
		dir, err := filepath.Abs(r.Dir)
		if err != nil {
			return err
		}
		id, err := Newest(ctx, at, dir)
		if err == nil && id == "" {
			err = fmt.Errorf("no session in %s to continue: omit --continue to start one", dir)
		}
		r.Session = string(id)
		return err
	}
	return nil
}

func (r Run) openSession(ctx context.Context, a *app.App) (bellcord.Session, error) {
	if r.Session != "" {
		s, err := a.Hub.OpenSession(ctx, bellcord.SessionID(r.Session))
		change := bellcord.SessionUpdated{Model: r.Model, Mode: r.Mode}
		if len(r.AdditionalDirs) > 0 {
			change.AdditionalDirs = &r.AdditionalDirs
		}
		if err == nil {
			s, err = a.Hub.Configure(s.ID, change)
		}
		return s, err
	}
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return bellcord.Session{}, err
	}
	c := r.Config.App.Settings
	return a.Hub.NewSession(ctx, bellcord.Session{Owner: app.MachineOwner, Dir: dir, AdditionalDirs: r.AdditionalDirs, Agent: c.Agent, Model: app.DefaultModel(c), Mode: c.Mode})
}
