// Package transcript exports a session as Markdown for people and as JSON for
// programs.
package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plainjson"
)

// Writer writes the events of a session. Write must be called with the events
// in order. Close writes what is pending and completes the output; it does not
// close the underlying writer. After an error, every call returns an error.
type Writer interface {
	Write(events []bellcord.Event) error
	Close() error
}

// Markdown writes a session as Markdown.
type Markdown struct {
	out  io.Writer
	last bellcord.Event // not written yet, because the next event may continue it
	err  error
}

// NewMarkdown writes the title and the properties of the session to out, and
// returns a writer for its events. An error is returned by the first Write or
// Close.
func NewMarkdown(out io.Writer, s bellcord.Session) *Markdown {
	m := &Markdown{out: out}
	title := s.Title
	if title == "" {
		title = "Session " + string(s.ID)
	}
	m.print("# %s\n\n%s · %s", title, s.ID, s.Dir)
	for _, part := range []string{s.Agent, s.Model} {
		if part != "" {
			m.print(" · %s", part)
		}
	}
	m.print("\n")
	return m
}

func (m *Markdown) print(format string, args ...any) {
	if m.err == nil {
		_, m.err = fmt.Fprintf(m.out, format, args...)
	}
}

// Write implements Writer. It joins consecutive events of one text.
func (m *Markdown) Write(events []bellcord.Event) error {
	for _, ev := range events {
		both := bellcord.Joined([]bellcord.Event{m.last, ev})
		if m.last.Body == nil || len(both) == 1 {
			m.last = both[len(both)-1]
			continue
		}
		m.writeBody(m.last.Body)
		m.last = ev
	}
	return m.err
}

// Close implements Writer.
func (m *Markdown) Close() error {
	if m.last.Body != nil {
		m.writeBody(m.last.Body)
		m.last = bellcord.Event{}
	}
	return m.err
}

func (m *Markdown) writeBody(body bellcord.Body) {
	switch b := body.(type) {
	case bellcord.TurnAccepted:
		m.print("\n%s\n", quoted(b.Text))
		for _, f := range b.Files {
			m.print("\n*(attached)* %s\n%s\n", f.Name, fenced("", f.Text))
		}
	case bellcord.PromptEdited:
		m.print("\n(changed to)\n%s\n", quoted(b.Text))
	case bellcord.ThinkingDelta:
		m.print("\n*(thinking)* %s\n", b.Text)
	case bellcord.TextDelta:
		m.print("\n%s\n", b.Text)
	case bellcord.ToolCallRequested:
		m.print("\n→ `%s` %s\n", b.Name, fenced("json", plainjson.Text(b.Arguments)))
	case bellcord.ToolCallUpdated:
		if b.Arguments != nil {
			m.print("\n→ %s\n", fenced("json", plainjson.Text(b.Arguments)))
		}
	case bellcord.PlanUpdated:
		m.print("\n*(plan)*\n\n%s\n", b.Markdown())
	case bellcord.MessageImported:
		m.print("\n%s\n", quoted(b.Text))
	case bellcord.ToolCallEnded:
		m.print("%s\n", fenced("", b.Result))
	case bellcord.ConversationCleared:
		m.print("\n---\n\n*(the conversation was cleared)*\n")
	case bellcord.ConversationRewound:
		m.print("\n---\n\n*(%s)*\n", b.Text())
	case bellcord.ProcessConfirmed:
		m.print("\n*(confirmed later: `%s` has ended)*\n", strings.ReplaceAll(b.Process.Name, "`", "'"))
	case bellcord.ProcessesRecovered:
		m.print("\n*(%s)*\n", b.Text())
	case bellcord.ChangesRecorded:
		m.print("\n*(files: %s)*\n", b.Changes.Text())
	case bellcord.Undone:
		m.print("\n*(%s)*\n", b.Text())
	case bellcord.ConversationCompacted:
		m.print("\n---\n\n*(summary of the conversation so far)* %s\n", b.Summary)
	case bellcord.TurnEnded:
		if b.Receipt.End != bellcord.EndDone {
			m.print("\n*(%s)*\n", ending(b.Receipt))
		} else if missing := b.Receipt.IncompleteText(); missing != "" {
			m.print("\n*(%s)*\n", missing)
		}
	}
}

func ending(r bellcord.Receipt) string {
	words := string(r.End)
	if r.Cause != nil && r.Cause.By != "" {
		words += " by " + r.Cause.By
	}
	if r.Cause != nil && r.Cause.Reason != "" {
		words += ": " + r.Cause.Reason
	}
	if r.Error != "" {
		words += ": " + r.Error
	}
	return words
}

func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> ")
}

// fenced returns text in a code fence that is longer than any fence in the
// text.
func fenced(lang, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + fence + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// JSON writes a session as {"session": …, "events": […]}.
type JSON struct {
	out   io.Writer
	first bool
	err   error
}

// NewJSON writes the session to out, and returns a writer for its events. An
// error is returned by the first Write or Close.
func NewJSON(out io.Writer, s bellcord.Session) *JSON {
	data, err := json.Marshal(s)
	j := &JSON{out: out, first: true, err: err}
	j.print(`{"session":`, string(data), `,"events":[`)
	return j
}

func (j *JSON) print(parts ...string) {
	for _, part := range parts {
		if j.err == nil {
			_, j.err = io.WriteString(j.out, part)
		}
	}
}

// Write implements Writer.
func (j *JSON) Write(events []bellcord.Event) error {
	for _, ev := range events {
		data, err := json.Marshal(ev)
		j.err = errors.Join(j.err, err)
		if !j.first {
			j.print(",\n")
		}
		j.first = false
		j.print(string(data))
	}
	return j.err
}

// Close implements Writer.
func (j *JSON) Close() error {
	j.print("]}\n")
	return j.err
}
