package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

// zooWay is a way to contain commands.
type zooWay struct {
	name, total string
	opts        proc.Options
	sandbox     string // a value of the setting sandbox.level, or ""
	run         zooRunner
}

var zooWays = []zooWay{
	{name: "cgroup", total: "with cgroups"},
	{name: "fallback", total: "without cgroups", opts: proc.Options{NoCgroup: true, AdoptOrphans: true}},
	{name: "bubblewrap", total: "in the sandbox, by bubblewrap", sandbox: config.SandboxBubblewrap},
	{name: "namespaces", total: "in the sandbox, by Bellcord's namespaces", sandbox: config.SandboxNamespaces},
	{name: "landlock", total: "in the sandbox, by Landlock", sandbox: config.SandboxLandlock},
}

// runner returns a function that runs a command in this way.
func (w zooWay) runner(k *proc.Keeper) zooRunner {
	policy := &confine.Policy{Keeper: k, Network: sandbox.Off}
	if w.sandbox != "" {
		c := config.Defaults()
		c.Sandbox.Mode, c.Sandbox.Level = config.SandboxRequire, w.sandbox
		policy.Open = app.OpenSandbox(c)
	}
	dir := os.TempDir()
	return func(ctx context.Context, args []string) (proc.Exit, error) {
		return policy.Run(ctx, confine.Command{Command: proc.Command{Args: args, Dir: dir}, Dirs: []string{dir}}, nil)
	}
}

type zooRunner func(ctx context.Context, args []string) (proc.Exit, error)

// sandboxFigures prints how long the start of a command takes, bare and at every level of the
// sandbox, and then stops the zoo at every level.
func sandboxFigures(out io.Writer, stops int) error {
	if err := sandboxStarts(out, 200); err != nil {
		return err
	}
	return zoo(out, stops, zooWays[2:])
}

// sandboxStarts runs a program that does nothing, in every way in turn.
func sandboxStarts(out io.Writer, n int) error {
	k, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		return err
	}
	ways := slices.Concat(zooWays[:1], zooWays[2:])
	took := make([][]time.Duration, len(ways))
	for i, way := range ways {
		run := way.runner(k)
		if _, err := run(context.Background(), []string{"/bin/true"}); err != nil { // finds the level
			return errors.Join(fmt.Errorf("%s: %w", way.name, err), k.Close())
		}
		ways[i].run = run
	}
	for range n {
		for i, way := range ways {
			began := time.Now()
			exit, err := way.run(context.Background(), []string{"/bin/true"})
			if err != nil || exit.Code != 0 {
				return errors.Join(fmt.Errorf("%s: exit code %d: %w", way.name, exit.Code, err), k.Close())
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	fmt.Fprintf(out, "sandbox: start and end of /bin/true, %d each, in turn\n", n)
	for i, way := range ways {
		slices.Sort(took[i])
		fmt.Fprintf(out, "  %-12s p50 %-8v p90 %-8v added by the sandbox %v\n", way.name, took[i][n/2].Round(10*time.Microsecond), took[i][n*9/10].Round(10*time.Microsecond),
			(took[i][n/2] - took[0][n/2]).Round(10*time.Microsecond))
	}
	return k.Close()
}
