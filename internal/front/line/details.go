package line

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// Details formats a receipt for people, with one fact per line.
func Details(r bellcord.Receipt) string {
	var d details
	d.add("turn", string(r.Turn))
	d.add("session", string(r.Session))
	d.add("end", end(r))
	d.add("answer", r.IncompleteText())
	d.add(stopFact(r))
	if r.AgentAbandoned {
		d.add("agent", "abandoned: it did not return; its later writes are rejected")
	}
	d.add("prompt", strings.ReplaceAll(Visible(r.Prompt), "\n", " "))
	d.add("tool calls", callNames(r.Calls))
	d.processes(r.Processes)
	d.add("sandbox", sandbox(r.Sandbox))
	d.files(r.Changes)
	if n := len(r.WithdrawnQuestions); n > 0 {
		d.add("questions", plural.Count(n, "question")+" withdrawn without an answer")
	}
	d.turns("held", r.HeldTurns)
	d.turns("dropped", r.DroppedTurns)
	d.add("kept", kept(r.Kept))
	d.add("usage", usage(r.Usage))
	if r.LogHead != nil {
		d.add("log", fmt.Sprintf("event %d, SHA-256 %s", r.LogHead.Seq, r.LogHead.Hash))
	}
	return d.String()
}

// details are lines that start with a label.
type details struct{ strings.Builder }

// add adds a line, unless its text is empty. A line without a label continues
// the one above it.
func (d *details) add(label, text string) {
	if text != "" {
		fmt.Fprintf(d, "%-11s %s\n", label, text)
	}
}

func (d *details) turns(label string, ids []bellcord.TurnID) {
	for i, id := range ids {
		if i == 0 {
			d.add(label, plural.Count(len(ids), "queued prompt"))
		}
		d.add("", "turn "+string(id))
	}
}

// processes adds a line for each list, and one for each process.
func (d *details) processes(p bellcord.Processes) {
	label := "processes"
	if unknown := p.UnknownText(); unknown != "" {
		d.add(label, unknown)
		label = ""
	} else if len(p.Ended)+len(p.Survivors)+len(p.Unconfirmed)+len(p.Background) == 0 {
		d.add(label, "none had to be ended")
	}
	for _, of := range []struct {
		title string
		all   []bellcord.Process
	}{
		{p.EndedText(), p.Ended},
		{"SURVIVED, still running:", p.Survivors},
		{"NOT CONFIRMED AS ENDED, may still run:", p.Unconfirmed},
		{"in the background until the session ends:", p.Background},
	} {
		if len(of.all) == 0 {
			continue
		}
		d.add(label, of.title)
		label = ""
		for _, one := range of.all {
			d.add("", "  "+process(one))
		}
	}
	if p.Proof != "" {
		d.add("proof", strings.TrimSuffix(p.Proof+": "+proofs[p.Proof], ": "))
	}
}

// proofs explains what each proof means.
var proofs = map[string]string{
	"pid_namespace":     "the kernel has ended the PID namespace in which the turn's commands ran",
	"cgroup_empty":      "the kernel lists no process of the turn's commands any more",
	"process_scan":      "no process of the turn's commands was found",
	"machine_restarted": "the machine on which the turn ran has restarted since",
	"job_object":        "the job object of the turn's commands is empty",
	"editor_reported":   "the editor that ran the commands reported their end",
}

// sandbox describes how the commands were confined, and what that does not cover.
func sandbox(s *bellcord.Sandbox) string {
	switch {
	case s == nil:
		return ""
	case len(s.Gaps) == 0:
		return string(s.Level)
	}
	return string(s.Level) + "; not covered: " + strings.Join(s.Gaps, "; ")
}

// process describes a process, for example "4711 terminated: sleep 100".
func process(p bellcord.Process) string {
	var words []string
	if p.PID != 0 { // a process of another program has none
		words = append(words, fmt.Sprint(p.PID))
	}
	if p.How != "" {
		words = append(words, p.How)
	}
	name := strings.ReplaceAll(Visible(p.Name), "\n", " ")
	switch {
	case len(words) == 0:
		return name
	case name == "":
		return strings.Join(words, " ")
	}
	return strings.Join(words, " ") + ": " + name
}

// end describes how and when a turn ended.
func end(r bellcord.Receipt) string {
	words := string(r.End)
	if r.End == bellcord.EndLost {
		words = "lost: " + LostReason + "; recorded"
	}
	if !r.Times.Settled.IsZero() {
		words += " at " + moment(r.Times.Settled)
	}
	switch {
	case r.Times.Started.IsZero():
		words += ", before it started"
	case r.End != bellcord.EndLost:
		words += ", " + duration(r.Times.Settled.Sub(r.Times.Started)) + " after its start"
	}
	if r.Error != "" {
		words += ": " + strings.ReplaceAll(Visible(r.Error), "\n", " ")
	}
	return words
}

// stopFact describes the stop of a turn: who or what requested it, from where, when
// and why, and how long it took.
func stopFact(r bellcord.Receipt) (label, text string) {
	c := r.Cause
	if c == nil {
		return "", ""
	}
	words := stopper(*c) + " at " + moment(c.At)
	if c.Mode != "" {
		words += ", mode " + string(c.Mode)
	}
	if took := r.Times.Settled.Sub(r.Times.StopRequested); r.End == bellcord.EndStopped && !r.Times.StopRequested.IsZero() {
		words += "; it took " + duration(took)
	}
	if r.End != bellcord.EndStopped {
		words += "; the turn had ended by itself first"
	}
	if c.Reason != "" {
		words += "; reason: " + strings.ReplaceAll(Visible(c.Reason), "\n", " ")
	}
	return "stop", words
}

// stopper names the user or the cause that requested a stop, and the front that
// received it.
func stopper(c bellcord.Cause) string {
	words := StopReason(c.Kind)
	switch c.Kind {
	case bellcord.CausePerson:
		return "by " + from(person(c), c.Source)
	case bellcord.CauseReplaced:
		return words + " (turn " + Visible(c.By) + ")"
	case bellcord.CauseShutdown, bellcord.CauseDisconnect:
		if c.By != "" {
			return words + " (" + from(Visible(c.By), c.Source) + ")"
		}
	case bellcord.CauseDeadline, bellcord.CauseBudget, bellcord.CauseStepLimit:
	}
	return words
}

// places names the fronts that receive stops.
var places = map[string]string{"page": "the page", "terminal": "the terminal", "run": "bellcord run", "serve": "bellcord serve", "acp": "an editor", "http": "HTTP"}

func from(by, source string) string {
	switch {
	case source == "":
		return by
	case places[source] != "":
		source = places[source]
	}
	return by + ", from " + Visible(source)
}

// callNames counts the calls by outcome, and names those that did not finish.
func callNames(c bellcord.Calls) string {
	var parts []string
	if c.Finished > 0 {
		parts = append(parts, fmt.Sprintf("%d finished", c.Finished))
	}
	for _, of := range []struct {
		refs []bellcord.CallRef
		word string
	}{{c.Stopped, "stopped"}, {c.NotStarted, "not run"}, {c.Unknown, "with unknown outcome"}} {
		var names []string
		for _, ref := range of.refs {
			names = append(names, Visible(ref.Name))
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(names), of.word, strings.Join(names, ", ")))
		}
	}
	return strings.Join(parts, ", ")
}

// moment formats a time in the zone of this machine.
func moment(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05.000 MST") }

func duration(d time.Duration) string { return d.Round(time.Millisecond).String() }
