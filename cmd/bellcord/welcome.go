package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/setup"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/plural"
)

// welcome prints what was found and what to type next. It is short on purpose: bellcord help lists
// everything.
func welcome(ctx context.Context, out io.Writer) error {
	c, err := config.Load("")
	if err == nil {
		err = c.Check()
	}
	found := setup.Search(ctx, "", c)
	fmt.Fprintf(out, "Bellcord %s: a coding agent for terminal, browser, Telegram and editors.\nStop means stopped.\n\nFound\n", version)
	fmt.Fprintf(out, "  configuration  %s\n", cmp.Or(found.Config, "none yet"))
	fmt.Fprintf(out, "  model          %s\n", cmp.Or(app.DefaultModel(c), "none configured"))
	printFound(out, found)
	if found.Serving {
		fmt.Fprintf(out, "  server         running on %s\n", c.DataDir)
	}
	fmt.Fprintln(out, "\nNext")
	if err != nil {
		fmt.Fprintf(out, "  bellcord doctor                 show what is wrong with the configuration\n")
		return nil //nolint:nilerr // already printed; bellcord doctor shows the details
	}
	for _, step := range nextSteps(found, c) {
		fmt.Fprintf(out, "  %-32s%s\n", step[0], step[1])
	}
	return nil
}

// nextSteps returns what to type next, the most useful first.
func nextSteps(s setup.Survey, c config.Config) (steps [][2]string) {
	if app.DefaultModel(c) == "" && c.Agent == "" {
		steps = append(steps, [2]string{"bellcord try", "a two-minute tour of stop, queue, question and receipt"})
		steps = append(steps, [2]string{"bellcord init", "write a configuration for what was found; no key needed"})
	}
	if s.Serving {
		steps = append(steps, [2]string{"bellcord ps", "list the server's turns"})
	}
	steps = append(steps,
		[2]string{"bellcord chat", "chat in the terminal; Esc stops"},
		[2]string{`bellcord run "hello"`, "run one turn, for scripts; Ctrl-C stops it"})
	for _, name := range s.Agents[:min(1, len(s.Agents))] {
		steps = append(steps, [2]string{"bellcord run --agent " + name + ` "…"`, "the same with " + name + ", and a stop that works"})
	}
	for _, e := range s.Editors[:min(2, len(s.Editors))] {
		steps = append(steps, [2]string{"bellcord acp install " + e.Name, "settings for " + e.Title})
	}
	if !s.Serving {
		steps = append(steps, [2]string{"bellcord serve", "serve programs, browsers, phones and other machines"})
	}
	return append(steps,
		[2]string{"bellcord doctor", "check the setup and show how to fix it"},
		[2]string{"bellcord help", "list all commands"})
}

func keyNames(s setup.Survey) string {
	var names []string
	for _, k := range s.Keys {
		names = append(names, k.Variable)
	}
	return strings.Join(names, ", ")
}

func serverNames(s setup.Survey) string {
	var names []string
	for _, server := range s.Servers {
		names = append(names, fmt.Sprintf("%s (%s)", server.Name, plural.Count(len(server.Models), "model")))
	}
	return strings.Join(names, ", ")
}

func editorNames(s setup.Survey) string {
	var names []string
	for _, e := range s.Editors {
		names = append(names, e.Title)
	}
	return strings.Join(names, ", ")
}
