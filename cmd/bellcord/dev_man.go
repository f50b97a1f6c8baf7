package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIRECTORY",
		Short: "Write the manual pages, one for each command",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are public
				return fmt.Errorf("write manual pages: %w", err)
			}
			for _, c := range allCommands(cmd.Root()) {
				path := filepath.Join(args[0], pageOf(c)+".1")
				if err := os.WriteFile(path, []byte(manPage(c)), 0o644); err != nil { //nolint:gosec // manual pages are public
					return fmt.Errorf("write manual pages: %w", err)
				}
			}
			return nil
		},
	}
}

// allCommands returns c and its available subcommands except help, in the order in which they are
// listed.
func allCommands(c *cobra.Command) []*cobra.Command {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			all = append(all, allCommands(below)...)
		}
	}
	return all
}

func pageOf(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the manual page of a command. It uses only the standard man macros.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", title) }
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"bellcord %s\" \"Bellcord\"\n", strings.ToUpper(roff(pageOf(c))), roff(version))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(pageOf(c)), roff(c.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, ".B %s\n", roff(c.UseLine()))
	if c.Long != "" {
		section("DESCRIPTION")
		for i, paragraph := range strings.Split(c.Long, "\n\n") {
			if i > 0 {
				b.WriteString(".PP\n")
			}
			b.WriteString(roff(paragraph) + "\n")
		}
	}
	if c.HasAvailableLocalFlags() {
		section("OPTIONS")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			what, usage := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", roff(name), roff(what), roff(usage))
		})
	}
	if also := related(c); len(also) > 0 {
		section("SEE ALSO")
		b.WriteString(strings.Join(also, ",\n") + "\n")
	}
	return b.String()
}

// related returns the manual pages of the parent command and the subcommands.
func related(c *cobra.Command) []string {
	var all []string
	if c.HasParent() {
		all = append(all, pageOf(c.Parent()))
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			all = append(all, pageOf(below))
		}
	}
	slices.Sort(all)
	for i, page := range all {
		all[i] = `\fB` + roff(page) + `\fR(1)`
	}
	return all
}

// roff escapes text so that roff interprets nothing in it: backslashes, hyphens, and a dot or an
// apostrophe at the beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
