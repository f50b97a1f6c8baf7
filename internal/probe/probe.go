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
	"github.com/bellcord/bellcord/proc"
)

// The protocols that are spoken.
const (
	ACP = "acp"
	Pi  = "pi"
)

// Target is an agent to be graded.
type Target struct {
	Name     string
	Command  []string
	Dir      string   // where it works; "" means an empty directory, removed at the end
	Env      []string // added to this process's own; all there is when Bare
	Bare     bool     // do not hand on this process's environment
	Protocol string   // ACP or Pi; "" means ACP

	// Model is the model that the agent was pointed at, nil where it cannot be.
	// Without it, what needs a scripted answer is skipped.
	Model *fakemodel.Server
	// ShellTool is the name by which the model calls the agent's shell, and
	// ShellArgs its arguments for a command, as JSON. Without them, what needs a
	// running tool is skipped.
	ShellTool string
	ShellArgs func(command string) string
}

// Options change how long is waited and what is checked; the zero value is
// right for most.
type Options struct {
	Tries    int           // how often prompt and stop go out in one write; 0 means 10
	Patience time.Duration // for the answer to a stop; 0 means 12 s, a little more than the laws allow
	Quiet    time.Duration // how long silence is watched for; 0 means 1 s
	Later    time.Duration // from the answer to the second look at processes; 0 means 2 s
	Starting time.Duration // for a process to be ready; 0 means 60 s
	Only     []string      // ids of the checks to run; none means all
	Each     func(Result)  // told of each result as it comes; may be nil
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
	fill(&o.Starting, 60*time.Second)
	return o
}

// check is one question and the law that asks it.
type check struct {
	id, law string
	needs   need
	run     func(context.Context, *trial) (verdict, error)
}

// need is what a check cannot do without.
type need int

const (
	nothing need = iota
	scripted
	shelled
)

// missing says why a check cannot be made; "" where it can.
func (t Target) missing(n need) string {
	switch {
	case n == nothing:
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

// Run makes all checks, one after the other. The error says that the agent
// could not be graded at all, because it does not start or does not speak the
// protocol, or that ctx ended; the report then has what was found before.
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
	defer leave() // after the last process is gone
	t.Dir = dir
	keeper, err := proc.Open("", proc.Options{Grace: 500 * time.Millisecond})
	if err != nil {
		return report, err
	}
	bench := &trial{target: t, opts: opts.filled(), keeper: keeper}
	err = bench.all(ctx, checks, &report)
	return report, errors.Join(err, keeper.Close())
}

// workplace is an absolute path, as protocols want it, and how to give it up.
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

// errNoTool means that there was nothing to stop: the agent's shell did not run
// what the model told it to. That is no finding about stopping.
var errNoTool = errors.New("the shell tool did not run")

// one makes one check. What went wrong on the way is a finding of its own.
func (t *trial) one(ctx context.Context, c check) Result {
	result := Result{Check: c.id, Law: c.law}
	if why := t.target.missing(c.needs); why != "" {
		result.Grade, result.Saw = Skip, why
		return result
	}
	began := time.Now()
	fresh := &trial{target: t.target, opts: t.opts, keeper: t.keeper}
	v, err := c.run(ctx, fresh)
	fresh.endAgents()
	switch {
	case errors.Is(err, errNoTool):
		v = skipped("%s", oneLine(err.Error()))
	case err != nil:
		v = failed("%s", oneLine(err.Error()))
	}
	result.Grade, result.Saw, result.Took = v.grade, v.saw, time.Since(began)
	return result
}
