package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

// verdict is how a check went.
type verdict string

const (
	fine    verdict = "ok"
	warning verdict = "warning" // it works, and could work better
	broken  verdict = "broken"
)

// finding is one line of the doctor's.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Says    string  `json:"says"`
	Fix     string  `json:"fix,omitempty"` // in one line, for everything but ok
}

// check looks at one thing and mends nothing.
type check struct {
	name string
	look func(context.Context) []finding
}

// Bounds of the doctor's patience: with one check, and with one request to
// another machine.
const (
	checkBound   = 30 * time.Second
	requestBound = 3 * time.Second
	checksAtOnce = 4
)

func doctorCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check keys, models, agents, containment, data directory, port and clock; say how to mend what is wrong",
		Long: `Checks what Bellcord works with, each thing in one line, with a fix where it
is not in order. A provider is asked for its list of models, which costs nothing;
an installed agent is started and ended again.

The exit code is 1 when something is broken, 0 with warnings.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks, done := s.checks()
			defer done()
			found := examine(cmd.Context(), checks, progress(asJSON), func(f finding) {
				if !asJSON {
					fmt.Println(f.line())
				}
			})
			if asJSON {
				out := json.NewEncoder(os.Stdout)
				out.SetIndent("", "  ")
				if err := out.Encode(found); err != nil {
					return err
				}
			}
			return outcome(found)
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

// examine runs the checks, some at a time, and shows the findings in the checks'
// order, each as soon as those before it are there. It returns when all are done.
func examine(ctx context.Context, checks []check, busy io.Writer, show func(finding)) []finding {
	places := make(chan struct{}, checksAtOnce)
	results := make([]chan []finding, len(checks))
	for i, c := range checks {
		results[i] = make(chan []finding, 1)
		go func() { // waited for below
			places <- struct{}{}
			defer func() { <-places }()
			ctx, done := context.WithTimeout(ctx, checkBound)
			defer done()
			results[i] <- c.look(ctx)
		}()
	}
	var all []finding
	for i, c := range checks {
		fmt.Fprintf(busy, "\r… %s", c.name)
		found := <-results[i]
		fmt.Fprint(busy, "\r\x1b[K") //nolint:errcheck // a terminal
		for _, f := range found {
			f.Check = c.name
			show(f)
			all = append(all, f)
		}
	}
	return all
}

// progress is where a person sees what is being checked, nowhere for a program.
func progress(quiet bool) io.Writer {
	if quiet || !isatty.IsTerminal(os.Stderr.Fd()) || !isatty.IsTerminal(os.Stdout.Fd()) {
		return io.Discard
	}
	return os.Stderr
}

func (f finding) line() string {
	line := fmt.Sprintf("%-8s %-14s %s", f.Verdict, f.Check, f.Says)
	if f.Fix != "" {
		line += fmt.Sprintf("\n%-8s %-14s fix: %s", "", "", f.Fix)
	}
	return line
}

func outcome(all []finding) error {
	for _, f := range all {
		if f.Verdict == broken {
			return exitCode(exitFailed)
		}
	}
	return nil
}

func ok(format string, args ...any) []finding {
	return []finding{{Verdict: fine, Says: fmt.Sprintf(format, args...)}}
}

func warn(fix, format string, args ...any) []finding {
	return []finding{{Verdict: warning, Says: fmt.Sprintf(format, args...), Fix: fix}}
}

func bad(fix, format string, args ...any) []finding {
	return []finding{{Verdict: broken, Says: fmt.Sprintf(format, args...), Fix: fix}}
}
