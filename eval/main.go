// Command eval measures whether Bellcord's own agent lets models recover from
// their typical mistakes. Scripted models play 30 small tasks against the real
// agent: the hub, an SQLite store, the real tools and real processes. Each makes
// one mistake, and repeats its call only with what the tool's answer contains.
// With a key in the environment, a real model plays the same tasks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/internal/config"
)

type options struct {
	only     string // a pattern for the names of cases
	out      string // the page to write
	before   string // the commit to record the results for
	verbose  bool
	parallel int
	tasks    bool
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "run the cases whose names match this `pattern`")
	flag.StringVar(&o.out, "out", "", "`page` whose table is replaced, such as docs/dev/agent-eval.md")
	flag.StringVar(&o.before, "record", "", "record the results as those of this `commit`, to compare later ones with")
	flag.BoolVar(&o.verbose, "v", false, "print the reason of each failure")
	flag.IntVar(&o.parallel, "parallel", 2, "how many cases run at the same time")
	flag.BoolVar(&o.tasks, "tasks", false, "only check the tasks: each check fails before the reference and passes after it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) (err error) {
	tasks, err := loadTasks()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bellcord-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The temporary directory may be inside a repository with instructions.
	if err := os.Setenv("GIT_CEILING_DIRECTORIES", dir); err != nil {
		return err
	}
	if o.tasks {
		return checkTasks(ctx, dir, tasks)
	}
	settings, err := config.FromEnvironment()
	if err != nil {
		return err
	}
	s, err := openStage(ctx, dir, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.closeAll()) }()
	cases, err := o.chosen()
	if err != nil {
		return err
	}
	results, err := o.playAll(ctx, s, tasks, cases)
	if err != nil {
		return err
	}
	if o.before != "" {
		return recordBefore(o.before, results)
	}
	earlier, err := loadBefore()
	if err != nil {
		return err
	}
	table := render(cases, earlier, results)
	fmt.Println(table)
	if o.out != "" && o.only == "" {
		if err := replaceTable(o.out, table); err != nil {
			return err
		}
	}
	return playReal(ctx, s, settings, tasks)
}

func (o options) chosen() ([]testCase, error) {
	pattern, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	var chosen []testCase
	for _, c := range allCases() {
		if pattern.MatchString(c.name()) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// playAll plays the cases, some at the same time. A case whose programs are
// missing has no result.
func (o options) playAll(ctx context.Context, s *stage, tasks []task, cases []testCase) (map[string]outcome, error) {
	byName := map[string]task{}
	for _, t := range tasks {
		byName[t.name] = t
	}
	var mu sync.Mutex
	results, errs := map[string]outcome{}, []error{}
	slots := make(chan struct{}, max(o.parallel, 1))
	var all sync.WaitGroup
	for _, c := range cases {
		if none := byName[c.task].missing(); len(none) > 0 {
			fmt.Fprintf(os.Stderr, "%s was not run: %s missing\n", c.name(), strings.Join(none, ", "))
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			result, err := s.playCase(ctx, byName[c.task], c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", c.name(), err))
				return
			}
			results[c.name()] = result
			if o.verbose {
				fmt.Fprintf(os.Stderr, "%s: solved %v, %d calls, %.1f s %.600s\n", c.name(), result.Solved, result.Calls, result.duration.Seconds(), result.note)
			}
		})
	}
	all.Wait()
	return results, errors.Join(errs...)
}

// checkTasks verifies each task's check with its reference.
func checkTasks(ctx context.Context, dir string, tasks []task) error {
	var errs []error
	for _, t := range tasks {
		if none := t.missing(); len(none) > 0 {
			fmt.Fprintf(os.Stderr, "%s was not checked: %s missing\n", t.name, strings.Join(none, ", "))
			continue
		}
		if err := checkTask(ctx, dir, t); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", t.name, err))
		}
	}
	return errors.Join(errs...)
}

func checkTask(ctx context.Context, dir string, t task) error {
	for _, solve := range []bool{false, true} { // a check may change the directory
		at, err := os.MkdirTemp(dir, t.name)
		if err != nil {
			return err
		}
		if err := bash(ctx, at, t.setup); err != nil {
			return fmt.Errorf("setup: %w", err)
		}
		if solve {
			if err := bash(ctx, at, t.reference); err != nil && !strings.Contains(t.reference, "wait") {
				return fmt.Errorf("reference: %w", err)
			}
		}
		err = bash(ctx, at, t.check)
		switch {
		case solve && err != nil:
			return fmt.Errorf("the check fails after the reference: %w", err)
		case !solve && err == nil:
			return errors.New("the check passes before the reference")
		}
	}
	return nil
}
