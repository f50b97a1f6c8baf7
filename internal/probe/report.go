package probe

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// The grades of a check.
const (
	Pass = "pass"
	Fail = "fail"
	Skip = "skip"
)

// Report contains the results of one agent.
type Report struct {
	Name     string   `json:"name"`
	Version  string   `json:"version,omitempty"` // as reported by the agent; empty for pi
	Protocol string   `json:"protocol"`
	Results  []Result `json:"results"`
}

// Result is the outcome of one check.
type Result struct {
	Check string        `json:"check"` // a name that stays
	Law   string        `json:"law"`   // its number
	Grade string        `json:"grade"`
	Saw   string        `json:"saw"` // what was measured, in one line
	Took  time.Duration `json:"took_ns"`
}

// Failed returns the number of failed checks.
func (r Report) Failed() int { return r.countGrade(Fail) }

func (r Report) countGrade(grade string) int {
	n := 0
	for _, result := range r.Results {
		if result.Grade == grade {
			n++
		}
	}
	return n
}

// Table returns the report as a table to display.
func (r Report) Table() string {
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.TrimSpace(r.Name+" "+r.Version))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "check\tlaw\tgrade\tobserved")
	for _, result := range r.Results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", result.Check, result.Law, result.Grade, result.Saw)
	}
	_ = w.Flush() // writes to memory and cannot fail
	fmt.Fprintf(&b, "%d pass, %d fail, %d skip\n", r.countGrade(Pass), r.countGrade(Fail), r.countGrade(Skip))
	return b.String()
}

// verdict is a grade and what was observed.
type verdict struct{ grade, observed string }

func passed(format string, args ...any) verdict { return verdict{Pass, fmt.Sprintf(format, args...)} }

func failed(format string, args ...any) verdict { return verdict{Fail, fmt.Sprintf(format, args...)} }

func skipped(format string, args ...any) verdict { return verdict{Skip, fmt.Sprintf(format, args...)} }

// grade returns a verdict with the same text for both grades.
func grade(good bool, format string, args ...any) verdict {
	if good {
		return passed(format, args...)
	}
	return failed(format, args...)
}

// and adds an observation. If it is not good, the verdict becomes Fail.
func (v verdict) and(good bool, format string, args ...any) verdict {
	v.observed += "; " + fmt.Sprintf(format, args...)
	if !good {
		v.grade = Fail
	}
	return v
}

// span formats a duration with a useful precision.
func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// oneLine shortens text from the agent and joins its lines, so that it fits
// into a table.
func oneLine(s string) string {
	const most = 300
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
