package probe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// trial is one run of a check, with the agents that it started or reached.
type trial struct {
	target Target
	opts   Options
	keeper *proc.Keeper
	ends   []func() // end the agents of the trial, and close its connections
	litter []string // files that tools leave in the working directory

	foreign *foreignLines // shared by the trials of a run
}

// bound is the time that a stop may take. The laws allow 10 s with hostile tools
// and 1 s with tools that cooperate, as those of the probe do; a loaded machine
// may need more than 1 s.
const bound = 5 * time.Second

// leaving is how long an agent may take to exit after its input has ended.
const leaving = 5 * time.Second

// normally is how long a turn with a one-word answer may take.
const normally = 30 * time.Second

// introduce starts the agent once, to verify that it starts and to read its
// name and version.
func (t *trial) introduce(ctx context.Context, report *Report) error {
	defer t.endAgents()
	if t.target.Protocol == Pi {
		_, err := t.pi(ctx)
		return err
	}
	report.Protocol = ACP
	c, err := t.acp(ctx)
	if err != nil {
		return err
	}
	report.Version = c.info.AgentInfo.Version
	if report.Name == "" {
		report.Name = c.info.AgentInfo.Name
	}
	return nil
}

// startAgent starts a new process of the agent. One goroutine passes each
// line of its output to handle, in order, and calls over after the last one.
func (t *trial) startAgent(handle func(at time.Time, line []byte), over func()) (*agent, error) {
	if len(t.target.Command) == 0 {
		return nil, errors.New("no command")
	}
	a := &agent{}
	running, err := t.keeper.Start(proc.Command{
		Args: t.target.Command, Dir: t.target.Dir, Env: t.target.Env, Bare: t.target.Bare, Owner: "probe", Output: a.noise.appendBytes,
	})
	if err != nil {
		return nil, err
	}
	a.running = running
	go a.listen(handle, over)
	t.ends = append(t.ends, func() { running.End(nil) })
	return a, nil
}

// endAgents ends all agents of the trial and everything that they started.
// Another check tests how agents exit on their own.
func (t *trial) endAgents() {
	for _, end := range t.ends {
		end()
	}
	for _, name := range t.litter {
		_ = os.Remove(filepath.Join(t.target.Dir, name)) // it does not exist if the tool did not run
	}
}

// tokens counts the processes with the token that an agent left behind.
func tokens(list []proc.Ended, token string) int {
	n := 0
	for _, p := range list {
		if strings.Contains(p.Name, token) {
			n++
		}
	}
	return n
}
