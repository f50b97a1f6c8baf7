// Package line is the front for turns on a plain terminal or in a script: the
// answer goes to stdout as it streams, everything else to stderr. A View shows
// one turn, a Watch shows a session across its turns, and Keys interprets the
// keys of a user.
package line

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/plainjson"
	"github.com/bellcord/bellcord/internal/plural"
)

// Source is a session's log as it grows: a hub's cursor or a server's stream.
// Next returns at least one event. Events are in order and without gaps.
type Source interface {
	Next(ctx context.Context) ([]bellcord.Event, error)
}

// ErrOutput means that a turn cannot be shown, because its output has failed.
var ErrOutput = errors.New("write the output")

// View shows a turn.
type View struct {
	Out  io.Writer // the answer or, with JSON, every event as a line
	Err  io.Writer // everything else that is meant for a user
	JSON bool
	// Terminal is set if Out is a terminal. Characters that control it are then
	// made visible. A file or a program gets the answer unchanged.
	Terminal bool
	// Ask shows a question to the user and returns the answer. If it is nil or
	// returns an error, the question is rejected.
	Ask func(ctx context.Context, q bellcord.Question) (bellcord.Reply, error)
	// Answer sends the answer to the turn. It may be called while Follow shows
	// events, and must report its errors itself.
	Answer func(ctx context.Context, turn bellcord.TurnID, question string, r bellcord.Reply, by string)

	midLine bool // the answer does not end with a newline
}

// Follow shows a turn until its end and returns its receipt. It skips events of
// other turns. With JSON the last line is the result. It returns ErrOutput if
// an event cannot be written; the turn continues.
func (v *View) Follow(ctx context.Context, source Source, turn bellcord.TurnID) (bellcord.Receipt, error) {
	var answer history.AnswerBuilder
	for {
		events, err := source.Next(ctx)
		if err != nil {
			return bellcord.Receipt{}, err
		}
		for _, ev := range events {
			if ev.Turn != turn {
				continue
			}
			if err := v.Show(ev); err != nil {
				return bellcord.Receipt{}, fmt.Errorf("%w: %w", ErrOutput, err)
			}
			if v.JSON {
				answer.Add(ev.Body)
			}
			switch b := ev.Body.(type) {
			case bellcord.QuestionOpened:
				go v.ask(ctx, turn, b.Question) // not waited for: a user may never answer, and a stop must not wait
			case bellcord.TurnEnded:
				return b.Receipt, v.result(b.Receipt, answer.Answer())
			}
		}
	}
}

// result is the last line of a turn in JSON. It has the form of an event, but
// it is not in the log: it combines the content of the events in one value.
type result struct {
	Session bellcord.SessionID `json:"session"`
	Turn    bellcord.TurnID    `json:"turn"`
	Kind    string             `json:"kind"` // result
	Body    resultBody         `json:"body"`
}

type resultBody struct {
	Receipt bellcord.Receipt    `json:"receipt"`
	Answer  bellcord.TurnAnswer `json:"answer"`
}

func (v *View) result(r bellcord.Receipt, answer bellcord.TurnAnswer) error {
	if !v.JSON {
		return nil
	}
	return v.writeLine(result{Session: r.Session, Turn: r.Turn, Kind: "result", Body: resultBody{Receipt: r, Answer: answer}})
}

func (v *View) writeLine(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = v.Out.Write(append(line, '\n'))
	}
	return err
}

func (v *View) ask(ctx context.Context, turn bellcord.TurnID, q bellcord.Question) {
	reply, by := bellcord.Reply{Choice: Choose(q, No)}, "no terminal"
	if v.Ask != nil {
		if r, err := v.Ask(ctx, q); err == nil {
			reply, by = r, "terminal"
		}
	}
	if v.Answer != nil {
		v.Answer(ctx, turn, q.ID, reply, by)
	}
}

// Show shows one event.
func (v *View) Show(ev bellcord.Event) error {
	if v.JSON {
		return v.writeLine(ev)
	}
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		if b.Text != "" {
			v.midLine = !strings.HasSuffix(b.Text, "\n")
		}
		text := b.Text
		if v.Terminal {
			text = Visible(text)
		}
		_, err := io.WriteString(v.Out, text)
		return err
	case bellcord.ToolCallRequested:
		return v.Note("→ %s %s", b.Name, plainjson.Text(b.Arguments))
	case bellcord.ToolCallUpdated:
		if b.Arguments != nil {
			return v.Note("  %s", plainjson.Text(b.Arguments))
		}
	case bellcord.PlanUpdated:
		return v.Note("plan:\n%s", b.Markdown())
	case bellcord.MessageImported:
		return v.Note("> %s", Visible(strings.TrimRight(b.Text, "\n")))
	case bellcord.ToolCallEnded:
		if b.Failed || b.Outcome != bellcord.CallFinished {
			return v.Note("  %s", failureLine(b.Result))
		}
	case bellcord.ModelRetryScheduled:
		why := strings.Join(strings.Fields(b.Reason), " ") // the reason may have several lines
		return v.Note("… %s; retrying in %s", why, b.RetryIn.Round(100*time.Millisecond))
	case bellcord.FilesScanned:
		if !b.Done {
			return v.Note("… %s", b.Text())
		}
	case bellcord.ConversationCompacted:
		return v.Note("≡ compacted: the conversation so far is now a summary of %s", plural.Count(len(strings.Fields(b.Summary)), "word"))
	case bellcord.StopRequested:
		return v.Note("■ stopping…")
	case bellcord.TurnEnded:
		return v.newline()
	}
	return nil
}

func (v *View) newline() error {
	if !v.midLine {
		return nil
	}
	v.midLine = false
	_, err := io.WriteString(v.Out, "\n")
	return err
}

// Note writes a message for the user on a separate line. Characters that
// control a terminal are made visible.
func (v *View) Note(format string, args ...any) error {
	if err := v.newline(); err != nil {
		return err
	}
	_, err := io.WriteString(v.Err, Visible(fmt.Sprintf(format, args...))+"\n")
	return err
}

// failureLine returns the line of a failed call that explains it: the first one of
// an error, the last one of an output.
func failureLine(result string) string {
	if first, _, _ := strings.Cut(result, "\n"); strings.HasPrefix(first, "error: ") {
		return first
	}
	return LastLine(result)
}

// LastLine returns the last line of a text that is not empty.
func LastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
