package main

import (
	"context"
	_ "embed" // the earlier results
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

//go:embed testdata/before.json
var beforeFile []byte

const beforePath = "eval/testdata/before.json"

// record contains the results of a commit.
type record struct {
	Commit  string             `json:"commit"`
	Results map[string]outcome `json:"results"`
}

func loadBefore() (record, error) {
	var r record
	err := json.Unmarshal(beforeFile, &r)
	return r, err
}

// recordBefore writes the results that later ones are compared with.
func recordBefore(commit string, results map[string]outcome) error {
	text, err := json.MarshalIndent(record{commit, results}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(beforePath, append(text, '\n'), 0o600)
}

// render returns the table of the cases as Markdown.
func render(cases []testCase, before record, now map[string]outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| # | mistake | task | seen in | before | now |\n|---|---|---|---|---|---|\n")
	var earlier, later, calls, fewer int
	for _, c := range cases {
		was, is := before.Results[c.name()], now[c.name()]
		fmt.Fprintf(&b, "| %d | %s | `%s` | %s | %s | %s |\n", c.mistake, c.about, c.task, c.source, shown(before.Results, c), shown(now, c))
		if was.Solved {
			earlier++
		}
		if is.Solved {
			later++
		}
		if was.Solved && is.Solved {
			calls += was.Calls
			fewer += is.Calls
		}
	}
	mistakes := map[int]bool{}
	for _, c := range cases {
		mistakes[c.mistake] = true
	}
	fmt.Fprintf(&b, "\n%d cases with %d mistakes: %d solved before, %d now. The cases solved both times needed %d calls, and %d now.\n", len(cases), len(mistakes), earlier, later, calls, fewer)
	return b.String()
}

func shown(results map[string]outcome, c testCase) string {
	o, ran := results[c.name()]
	switch {
	case !ran:
		return "not run"
	case !o.Solved:
		return "no"
	case o.Calls == 1:
		return "yes, 1 call"
	}
	return fmt.Sprintf("yes, %d calls", o.Calls)
}

// tableMark precedes the generated part of the page.
const tableMark = "<!-- What follows is written by make eval. -->\n"

func replaceTable(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	kept, _, found := strings.Cut(string(text), tableMark)
	if !found {
		return fmt.Errorf("%s does not contain %q", page, strings.TrimSpace(tableMark))
	}
	return os.WriteFile(page, []byte(kept+tableMark+"\nMeasured at "+commit()+".\n\n"+table), 0o600)
}

// commit returns the commit of the working directory, or "an unknown commit".
func commit() string {
	out, err := exec.CommandContext(context.Background(), "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "an unknown commit"
	}
	return strings.TrimSpace(string(out))
}
