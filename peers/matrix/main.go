// Command matrix grades the stops of real agents twice in one run, each agent bare and the same
// agent behind Bellcord, and prints both tables as a page of the docs.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/probe"
)

func main() {
	binary := flag.String("bellcord", "bin/bellcord", "the built `program`")
	agents := flag.String("agents", os.Getenv("BELLCORD_AGENTS"), "`directory` that peers/agents/install printed")
	names := flag.String("names", "goose,opencode,claude,codex,gemini,qwen,kimi,pi", "which agents, by name")
	tries := flag.Int("tries", 50, "how often prompt and cancel are sent in one write")
	bare := flag.Bool("bare", true, "grade each agent without Bellcord, too")
	out := flag.String("out", "", "`file` to write, such as docs/dev/peers.md; otherwise the page is printed")
	flag.Parse()
	page, wrong, err := gradeAll(*binary, *agents, strings.Split(*names, ","), *tries, *bare)
	if err == nil {
		err = writePage(*out, page)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	case wrong > 0:
		fmt.Fprintf(os.Stderr, "matrix: %d cells behind Bellcord are wrong\n", wrong)
		os.Exit(1)
	}
}

func writePage(path, page string) error {
	if path == "" {
		_, err := io.WriteString(os.Stdout, page)
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(page+otherSections(string(old))), 0o644) //nolint:gosec // a page of the docs
}

// otherSections returns the end of the page that other commands write.
func otherSections(page string) string {
	_, rest, has := strings.Cut(page, "\n<!-- make ")
	if !has {
		return ""
	}
	return "\n<!-- make " + rest
}

// gradeAll grades every agent both ways; wrong counts the failures behind Bellcord.
func gradeAll(binary, agents string, names []string, tries int, both bool) (page string, wrong int, err error) {
	if agents == "" {
		return "", 0, errors.New("no agents: set BELLCORD_AGENTS to what peers/agents/install prints")
	}
	var bare, behind []probe.Report
	for _, name := range names {
		for _, hosted := range []bool{false, true} {
			if !hosted && !both {
				continue
			}
			began := time.Now()
			report, err := grade(binary, agents, name, tries, hosted)
			if err != nil {
				return "", 0, fmt.Errorf("%s: %w", name, err)
			}
			report.Name = name
			fmt.Fprintf(os.Stderr, "%s, behind bellcord %v: %d wrong, %s\n", name, hosted, report.Failed(), time.Since(began).Round(time.Second))
			if hosted {
				wrong += report.Failed()
				behind = append(behind, report)
			} else {
				bare = append(bare, report)
			}
		}
	}
	return compose(bare, behind, tries), wrong, nil
}

// gradeBound is the timeout for one agent.
const gradeBound = 20 * time.Minute

func grade(binary, agents, name string, tries int, hosted bool) (probe.Report, error) {
	ctx, done := context.WithTimeout(context.Background(), gradeBound)
	defer done()
	args := []string{"probe", "--json", "--tries", fmt.Sprint(tries), "--agent", name}
	if hosted {
		args = append(args, "--behind")
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(agents, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stdout, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &complaints
	err := cmd.Run()
	var report probe.Report
	if json.Unmarshal(stdout.Bytes(), &report) != nil {
		return report, fmt.Errorf("%w: %s", err, complaints.String())
	}
	return report, nil
}

func compose(bare, behind []probe.Report, tries int) string {
	var page strings.Builder
	fmt.Fprintf(&page, `# How other agents stop, bare and behind Bellcord

Measured by `+"`make peers-matrix`"+` in one run, with a fake model and one shell command, prompt and cancel in one write %d times. A cell describes
what the agent did; **bold** breaks a [law](../../LAWS.md). One machine and one run: the table shows what can happen, not how often.
%s, %s.

`, tries, time.Now().UTC().Format(time.DateOnly), versions(slices.Concat(bare, behind)[:max(len(bare), len(behind))]))
	if len(bare) > 0 {
		page.WriteString("## Bare\n\n")
		table(&page, bare)
	}
	page.WriteString("\n## The same agents behind `bellcord acp --agent NAME`\n\n" +
		"Prompt and cancel in one write go to a new session each time: there the stop is settled before the agent has even started.\n" +
		"The tests of `internal/agent/child` do the same to agents that run, goose and pi among them.\n\n")
	table(&page, behind)
	return page.String()
}

func versions(reports []probe.Report) string {
	var all []string
	for _, r := range reports {
		all = append(all, strings.TrimSpace(r.Name+" "+r.Version))
	}
	return strings.Join(all, ", ")
}

func table(page *strings.Builder, reports []probe.Report) {
	var checks []string
	page.WriteString("| check |")
	for _, r := range reports {
		fmt.Fprintf(page, " %s |", r.Name)
		for _, result := range r.Results {
			if !slices.Contains(checks, result.Check) {
				checks = append(checks, result.Check)
			}
		}
	}
	page.WriteString("\n|---|" + strings.Repeat("---|", len(reports)) + "\n")
	for _, check := range checks {
		fmt.Fprintf(page, "| %s |", check)
		for _, r := range reports {
			fmt.Fprintf(page, " %s |", cell(r, check))
		}
		page.WriteString("\n")
	}
}

func cell(r probe.Report, check string) string {
	i := slices.IndexFunc(r.Results, func(one probe.Result) bool { return one.Check == check })
	if i < 0 {
		return "–"
	}
	observed := strings.ReplaceAll(r.Results[i].Saw, "|", "\\|")
	switch r.Results[i].Grade {
	case probe.Fail:
		return "**" + observed + "**"
	case probe.Skip:
		return "(" + observed + ")"
	}
	return observed
}
