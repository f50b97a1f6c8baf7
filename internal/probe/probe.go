package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/websocket"
	"github.com/bellcord/bellcord/proc"
)

// The supported protocols.
const (
	ACP = "acp"
	Pi  = "pi"
)

// Target is an agent to be graded.
type Target struct {
	Name     string
	Command  []string
	Dir      string   // working directory; "" means a temporary directory
	Env      []string // added to this process's environment; the whole environment if Bare
	Bare     bool     // do not pass on this process's environment
	Protocol string   // ACP or Pi; "" means ACP

	// Dial, if set, connects to an agent that serves ACP over WebSocket. There
	// is no Command then, and Dir is a directory of the agent's machine. Checks
	// that need the agent's processes are skipped.
	Dial func(context.Context) (*websocket.Conn, error)

	// Model is the fake model that the agent uses, or nil if the agent uses
	// another one. Without it, checks that need a scripted answer are skipped.
	Model *fakemodel.Server
	// FakeModel is set if the agent uses a fake model that this process does not
	// have: prompts then contain its markers.
	FakeModel bool
	// ShellTool is the name under which the model calls the agent's shell, and
	// ShellArgs returns the arguments for a command, as JSON. Without them,
	// checks that need a running tool are skipped.
	ShellTool string
	ShellArgs func(command string) string
}

// Options sets time limits and selects checks. The zero value suits most
// programs.
type Options struct {
	Tries    int           // number of times that prompt and stop are sent in one write; 0 means 10
	Patience time.Duration // wait for the response to a stop; 0 means 12 s, so that a late response is seen
	Quiet    time.Duration // how long no output may follow; 0 means 1 s
	Later    time.Duration // time from the response to the second count of processes; 0 means 2 s
	// Ages are the times from the start of a command to its stop; nil means 0,
	// 0.2, 0.6 and 1.5 s.
	Ages     []time.Duration
	Starting time.Duration // time for a process to be ready; 0 means 60 s
	Only     []string      // ids of the checks to run; empty means all
	Each     func(Result)  // called with each result; may be nil
}

func (o Options) filled() Options {
	fill := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	if o.Tries <= 0 {
		o.Tries = 10
	}
	fill(&o.Patience, 12*time.Second)
	fill(&o.Quiet, time.Second)
	fill(&o.Later, 2*time.Second)
	if o.Ages == nil {
		o.Ages = []time.Duration{0, 200 * time.Millisecond, 600 * time.Millisecond, 1500 * time.Millisecond}
	}
	fill(&o.Starting, 60*time.Second)
	return o
}

// check is one check and the laws that require it.
type check struct {
	id, law string
	needs   need
	run     func(context.Context, *trial) (verdict, error)
}

// need is what a check requires of its target.
type need int

const (
	nothing  need = iota
	started       // a process that the probe starts
	scripted      // and a scripted model
	shelled       // and a shell tool
	dialed        // a connection over the network
)

// scripted reports whether the agent's model follows the markers in prompts.
func (t Target) scripted() bool { return t.Model != nil || t.FakeModel }

// missing returns why a check cannot run, or "" if it can.
func (t Target) missing(n need) string {
	switch {
	case n == nothing || n == dialed && t.Dial != nil:
	case n == dialed:
		return "needs a connection over the network"
	case t.Dial != nil:
		return "needs the agent's processes, which are not visible over the network"
	case n == started:
	case t.Model == nil:
		return "needs a scripted model"
	case n == shelled && (t.ShellTool == "" || t.ShellArgs == nil):
		return "needs the name of the agent's shell tool"
	}
	return ""
}

func (t Target) checks() ([]check, error) {
	switch t.Protocol {
	case ACP, "":
		return acpChecks(), nil
	case Pi:
		return piChecks(), nil
	default:
		return nil, fmt.Errorf("unknown protocol %q: use %s or %s", t.Protocol, ACP, Pi)
	}
}

// Run runs the checks, one after the other. It returns an error if the agent
// could not be graded at all, because it does not start or does not support the
// protocol, or if ctx is done; the report then contains the results so far.
func Run(ctx context.Context, t Target, opts Options) (Report, error) {
	report := Report{Name: t.Name, Protocol: t.Protocol, Results: []Result{}}
	checks, err := t.checks()
	if err != nil {
		return report, err
	}
	for _, id := range opts.Only {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.id == id }) {
			return report, fmt.Errorf("unknown check %q", id)
		}
	}
	dir, leave, err := workplace(t.Dir)
	if err != nil {
		return report, err
	}
	defer leave() // after the last process has ended
	t.Dir = dir
	keeper, err := proc.Open("", proc.Options{Grace: 500 * time.Millisecond, AdoptOrphans: true})
	if err != nil {
		return report, err
	}
	bench := &trial{target: t, opts: opts.filled(), keeper: keeper, foreign: &foreignLines{}}
	err = bench.all(ctx, checks, &report)
	return report, errors.Join(err, keeper.Close())
}

// workplace returns the absolute path of the working directory, as the
// protocols require, and a function that removes it if it is temporary.
func workplace(dir string) (string, func(), error) {
	if dir == "" {
		made, err := os.MkdirTemp("", "bellcord-probe-")
		return made, func() { _ = os.RemoveAll(made) }, err
	}
	dir, err := filepath.Abs(dir)
	return dir, func() {}, err
}

func (t *trial) all(ctx context.Context, checks []check, report *Report) error {
	if err := t.introduce(ctx, report); err != nil {
		return fmt.Errorf("starting %s: %w", t.target.Name, err)
	}
	for _, c := range checks {
		if len(t.opts.Only) > 0 && !slices.Contains(t.opts.Only, c.id) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		result := t.one(ctx, c)
		report.Results = append(report.Results, result)
		if t.opts.Each != nil {
			t.opts.Each(result)
		}
	}
	return nil
}

// errNoTool means that the agent's shell did not run the command that the model
// requested, so there was nothing to stop. The check is skipped.
var errNoTool = errors.New("the shell tool did not run")

// one runs one check. An error counts as a failure.
func (t *trial) one(ctx context.Context, c check) Result {
	result := Result{Check: c.id, Law: c.law}
	if why := t.target.missing(c.needs); why != "" {
		result.Grade, result.Saw = Skip, why
		return result
	}
	began := time.Now()
	fresh := &trial{target: t.target, opts: t.opts, keeper: t.keeper, foreign: t.foreign}
	v, err := c.run(ctx, fresh)
	fresh.endAgents()
	switch {
	case errors.Is(err, errNoTool):
		v = skipped("%s", oneLine(err.Error()))
	case err != nil:
		v = failed("%s", oneLine(err.Error()))
	}
	result.Grade, result.Saw, result.Took = v.grade, v.observed, time.Since(began)
	return result
}
