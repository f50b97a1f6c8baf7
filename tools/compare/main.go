// Command compare runs the benchmarks of an older commit and of the working tree
// in turn, and prints the medians of both.
//
//	go run ./tools/compare -base REV -rounds 3 -- -only events cluster
//
// The arguments after -- are those of bench.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	base := flag.String("base", "", "`commit` to compare with")
	rounds := flag.Int("rounds", 3, "number of runs of each side")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := compare(ctx, *base, *rounds, flag.Args())
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, base string, rounds int, args []string) error {
	if base == "" || rounds < 1 {
		return fmt.Errorf("use -base COMMIT, and -rounds of 1 or more")
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	older := filepath.Join(dir, "older")
	if err := command(ctx, "", "git", "worktree", "add", "--detach", older, base).Run(); err != nil {
		return fmt.Errorf("check out %s: %w", base, err)
	}
	defer func() {
		_ = command(context.WithoutCancel(ctx), "", "git", "worktree", "remove", "--force", older).Run()
	}()
	sides := []side{{name: "before", dir: older}, {name: "after", dir: "."}}
	for i := range sides {
		if err := sides[i].build(ctx, dir); err != nil {
			return err
		}
	}
	for range rounds {
		for i := range sides {
			if err := sides[i].measure(ctx, args); err != nil {
				return err
			}
		}
	}
	printBoth(os.Stdout, sides[0].outputs, sides[1].outputs)
	return nil
}

// side is one of the two versions.
type side struct {
	name, dir       string
	bench, bellcord string   // paths of the built programs
	outputs         []string // one for each run
}

func (s *side) build(ctx context.Context, into string) error {
	s.bench, s.bellcord = filepath.Join(into, s.name+"-bench"), filepath.Join(into, s.name+"-bellcord")
	if err := command(ctx, s.dir, "go", "build", "-o", s.bench, "./bench").Run(); err != nil {
		return fmt.Errorf("build bench %s: %w", s.name, err)
	}
	if err := command(ctx, s.dir, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.bellcord, "./cmd/bellcord").Run(); err != nil {
		return fmt.Errorf("build bellcord %s: %w", s.name, err)
	}
	return nil
}

func (s *side) measure(ctx context.Context, args []string) error {
	cmd := command(ctx, s.dir, s.bench, append([]string{"-bellcord", s.bellcord}, args...)...)
	cmd.Env = append(os.Environ(), "BELLCORD_BIN="+s.bellcord)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bench %s: %w", s.name, err)
	}
	s.outputs = append(s.outputs, out.String())
	return nil
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	return cmd
}
