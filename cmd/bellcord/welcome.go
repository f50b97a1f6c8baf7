package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/bellcord/bellcord/internal/config"
)

// welcome says what was found and what to type next. It is short on purpose:
// bellcord help is the list of everything.
func welcome(ctx context.Context, out io.Writer) error {
	c, err := config.Load("")
	if err == nil {
		err = c.Check()
	}
	found := lookAround(ctx, "", c)
	fmt.Fprintf(out, "Bellcord %s: an agent runtime in which stop means stopped.\n\nFound\n", version)
	fmt.Fprintf(out, "  configuration  %s\n", or(found.config, "none yet"))
	fmt.Fprintf(out, "  model          %s\n", or(modelOf(c), "none chosen"))
	fmt.Fprintf(out, "  keys           %s\n", or(found.keyNames(), "none in the environment"))
	fmt.Fprintf(out, "  model servers  %s\n", or(found.serverNames(), "none on this machine"))
	fmt.Fprintf(out, "  agents         %s\n", or(strings.Join(found.agents, ", "), "none installed that could be hosted"))
	fmt.Fprintf(out, "  editors        %s\n", or(found.editorNames(), "none that speaks ACP"))
	if found.serving {
		fmt.Fprintf(out, "  server         runs on %s\n", c.Data)
	}
	fmt.Fprintln(out, "\nNext")
	if err != nil {
		fmt.Fprintf(out, "  bellcord doctor               the configuration is broken: this says where\n")
		return nil //nolint:nilerr // it was said, and the doctor says more
	}
	for _, step := range found.next(c) {
		fmt.Fprintf(out, "  %-30s%s\n", step[0], step[1])
	}
	return nil
}

// next is what to type, the most useful first.
func (s survey) next(c config.Config) (steps [][2]string) {
	if modelOf(c) == "" && c.Agent == "" {
		steps = append(steps, [2]string{"bellcord init", "writes a configuration from what was found; works without a key"})
	}
	if s.serving {
		steps = append(steps, [2]string{"bellcord ps", "what runs at the server"})
	}
	steps = append(steps,
		[2]string{"bellcord chat", "a conversation in the terminal; Esc stops"},
		[2]string{`bellcord run "hello"`, "one turn, for scripts; Ctrl-C stops it"})
	for _, name := range s.agents[:min(1, len(s.agents))] {
		steps = append(steps, [2]string{"bellcord run --agent " + name + ` "…"`, "the same by " + name + ", with a stop that holds"})
	}
	for _, e := range s.editors[:min(2, len(s.editors))] {
		steps = append(steps, [2]string{"bellcord acp --install " + e.Name, "for " + e.Title})
	}
	if !s.serving {
		steps = append(steps, [2]string{"bellcord serve", "for programs, browsers, phones and other machines"})
	}
	return append(steps,
		[2]string{"bellcord doctor", "checks everything, and says how to mend it"},
		[2]string{"bellcord help", "all commands"})
}

func (s survey) keyNames() string {
	var names []string
	for _, k := range s.keys {
		names = append(names, k.variable)
	}
	return strings.Join(names, ", ")
}

func (s survey) serverNames() string {
	var names []string
	for _, server := range s.servers {
		names = append(names, fmt.Sprintf("%s (%d models)", server.name, len(server.models)))
	}
	return strings.Join(names, ", ")
}

func (s survey) editorNames() string {
	var names []string
	for _, e := range s.editors {
		names = append(names, e.Title)
	}
	return strings.Join(names, ", ")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
