package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/peers/features/internal/drive"
)

// report is what one agent has, both ways.
type report struct {
	Agent   string                      `json:"agent"`
	Version string                      `json:"version"`
	Ways    map[drive.Way]drive.Results `json:"ways"`
}

// loss is a feature that is there bare and not behind.
type loss struct {
	feature, agent, missing, reason string
}

// losses returns what each agent lost behind Bellcord. Those with a reason are exceptions.
func losses(reports []report) []loss {
	var found []loss
	for _, p := range drive.Names() {
		for _, r := range reports {
			without, with := r.Ways[drive.Bare], r.Ways[drive.Behind]
			if without.Findings == nil || with.Findings == nil {
				continue
			}
			if what, missing := drive.Lost(without.Findings[p], with.Findings[p]); what != "" {
				found = append(found, loss{p, r.Agent, what, drive.Excused(p, r.Agent, missing)})
			}
		}
	}
	return found
}

// writeSection replaces a section of a page, or appends it.
func writeSection(path, target, section string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	start, end := "<!-- make "+target+" writes from here -->", "<!-- make "+target+" writes to here -->"
	before, rest, has := strings.Cut(string(page), start)
	after := ""
	if has {
		_, after, _ = strings.Cut(rest, end+"\n")
	}
	page = []byte(strings.TrimRight(before, "\n") + "\n\n" + start + "\n\n" + section + "\n" + end + "\n" + after)
	return os.WriteFile(path, page, 0o644) //nolint:gosec // a page of the docs
}

// compose returns the section: the table, the exceptions, and the agents that were not run.
func compose(reports []report) string {
	var page strings.Builder
	lostCells := losses(reports)
	fmt.Fprintf(&page, `## Features of the agents, bare and behind Bellcord

Measured by `+"`make peers-features`"+` in one run, offline with a fake model. Each cell has the agent driven bare, then behind
`+"`bellcord acp --agent NAME`"+`: ✓ the feature was seen, or a number of things by name; – it was not seen. **Bold** is lost behind Bellcord.
pi does not use ACP; its first part is what its RPC protocol has. %s, %s.

`, time.Now().UTC().Format(time.DateOnly), versions(reports))
	page.WriteString("| feature |")
	for _, r := range reports {
		fmt.Fprintf(&page, " %s |", r.Agent)
	}
	page.WriteString("\n|---|" + strings.Repeat("---|", len(reports)) + "\n")
	for _, p := range drive.Names() {
		fmt.Fprintf(&page, "| %s |", p)
		for _, r := range reports {
			fmt.Fprintf(&page, " %s |", cell(p, r, lostCells))
		}
		page.WriteString("\n")
	}
	notes(&page, reports, lostCells)
	return page.String()
}

func versions(reports []report) string {
	var names []string
	for _, r := range reports {
		names = append(names, strings.TrimSpace(r.Agent+" "+r.Version))
	}
	return strings.Join(names, ", ")
}

func cell(feature string, r report, lostCells []loss) string {
	without, with := r.Ways[drive.Bare], r.Ways[drive.Behind]
	left, right := mark(without, feature), mark(with, feature)
	i := slices.IndexFunc(lostCells, func(l loss) bool { return l.feature == feature && l.agent == r.Agent })
	switch {
	case i >= 0 && lostCells[i].reason == "":
		right = "**" + right + "**"
	case i >= 0:
		right += " *"
	case left == "–" && right == "–":
		return "–"
	}
	return left + " / " + right
}

// mark is one half of a cell.
func mark(r drive.Results, feature string) string {
	f, has := r.Findings[feature]
	switch {
	case r.Findings == nil && r.Failed == "":
		return "…" // not asked for in this run
	case !has:
		return "?"
	case f.State != drive.Present:
		return "–"
	case len(f.Items) > 1:
		return fmt.Sprint(len(f.Items))
	}
	return "✓"
}

func notes(page *strings.Builder, reports []report, lostCells []loss) {
	if slices.ContainsFunc(lostCells, func(l loss) bool { return l.reason != "" }) {
		page.WriteString("\n\\* Exceptions:\n\n")
		for _, e := range drive.Exceptions {
			agents := "all agents"
			if e.Agents != nil {
				agents = strings.Join(e.Agents, ", ")
			}
			fmt.Fprintf(page, "- %s (%s): %s\n", e.Feature, agents, e.Reason)
		}
	}
	for _, r := range reports {
		for _, w := range []drive.Way{drive.Bare, drive.Behind} {
			if failed := r.Ways[w].Failed; failed != "" {
				fmt.Fprintf(page, "\nNot run: %s, %s: %s.\n", r.Agent, w, strings.TrimRight(drive.Clip(failed), "."))
			}
		}
	}
}
