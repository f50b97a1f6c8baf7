package drive

import (
	"fmt"
	"slices"
	"strings"
)

// State is whether a feature was seen.
type State string

// The states of a feature.
const (
	Present    State = "present"
	Absent     State = "absent"      // tried, and not seen
	NotOffered State = "not offered" // the agent does not have it, so it was not tried
)

// Finding is what a probe found in one visit.
type Finding struct {
	State State    `json:"state"`
	Saw   string   `json:"saw"`             // the evidence in a few words
	Items []string `json:"items,omitempty"` // what was seen by name; all of it must be there behind, too
}

func yes(format string, args ...any) Finding {
	return Finding{State: Present, Saw: Clip(fmt.Sprintf(format, args...))}
}

func no(format string, args ...any) Finding {
	return Finding{State: Absent, Saw: Clip(fmt.Sprintf(format, args...))}
}

func none(format string, args ...any) Finding {
	return Finding{State: NotOffered, Saw: Clip(fmt.Sprintf(format, args...))}
}

// all is present if there is at least one item.
func all(what string, items []string) Finding {
	if items = unique(items); len(items) == 0 {
		return no("no %s", what)
	}
	f := yes("%s", strings.Join(items, ", "))
	f.Items = items
	return f
}

// when is present if it holds.
func when(holds bool, seen string) Finding {
	if holds {
		return yes("%s", seen)
	}
	return no("%s", seen)
}

// Clip shortens a text to one line of a table.
func Clip(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Lost describes what is there bare and missing behind, or returns "". Missing are the parts by name,
// if the feature has any.
func Lost(without, with Finding) (what string, missing []string) {
	if without.State != Present {
		return "", nil
	}
	for _, item := range without.Items {
		if with.State != Present || !slices.Contains(with.Items, item) {
			missing = append(missing, item)
		}
	}
	switch {
	case with.State != Present:
		return string(with.State) + ": " + with.Saw, missing
	case len(missing) > 0:
		return fmt.Sprintf("%d of %d missing: %s", len(missing), len(without.Items), Clip(strings.Join(missing, ", "))), missing
	}
	return "", nil
}

// probe is one feature and how it is recognized.
type probe struct {
	name string // the row of the table
	look func(*Visit) Finding
}

// probes returns every feature in the order of the table.
func probes() []probe {
	return slices.Concat(settingProbes(), commandProbes(), editorProbes(), callProbes(), permissionProbes(), contentProbes(), reportProbes(), sessionProbes())
}

// tried returns a finding for a stage that did not work, and whether there is one.
func (v *Visit) tried(names ...string) (Finding, bool) {
	for _, name := range names {
		s := v.stages[name]
		switch {
		case s == nil:
			return none("not offered"), true
		case s.err == errNoTool: //nolint:errorlint // it is never wrapped
			return none("no such tool"), true
		case s.err != nil:
			return no("%v", s.err), true
		}
	}
	return Finding{}, false
}
