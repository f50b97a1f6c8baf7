// Package line is the front for one turn on a plain terminal or in a script:
// the answer on stdout as it comes, everything else on stderr.
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
)

// View is where a turn is shown.
type View struct {
	Out  io.Writer // the answer, or with JSON every event as a line
	Err  io.Writer // what else a person wants to know
	JSON bool
	// Ask puts a question to the person and returns the choice; nil when there
	// is nobody to ask, which means no.
	Ask func(ctx context.Context, q bellcord.Question) (string, error)

	column0 bool // the answer stands at the start of a line
}

// Follow shows a turn until its end and returns its receipt.
func (v *View) Follow(ctx context.Context, hub *bellcord.Hub, turn *bellcord.Turn, after int64) (bellcord.Receipt, error) {
	ctx, done := orUnsettled(ctx, turn)
	defer done()
	cursor, err := hub.Events(ctx, turn.Session, after)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	defer cursor.Close()
	v.column0 = true
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			return bellcord.Receipt{}, err
		}
		for _, ev := range events {
			if ev.Turn != turn.ID {
				continue
			}
			if err := v.show(ev); err != nil {
				return bellcord.Receipt{}, err
			}
			switch b := ev.Body.(type) {
			case bellcord.Asked:
				go v.ask(ctx, hub, turn, b.Question) // not waited for: a person may never answer, and a stop must not wait
			case bellcord.Ended:
				return b.Receipt, nil
			}
		}
	}
}

var errUnsettled = errors.New("the turn's end could not be written")

// orUnsettled ends the reading when the turn's end will not come into the log.
func orUnsettled(ctx context.Context, turn *bellcord.Turn) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx) //nolint:forbidigo // for reading the log; no turn hangs on it
	go func() {
		select {
		case <-turn.Settled():
			if turn.Receipt().Unsettled {
				end(fmt.Errorf("%w: %s", errUnsettled, turn.Receipt().Error))
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}

func (v *View) ask(ctx context.Context, hub *bellcord.Hub, turn *bellcord.Turn, q bellcord.Question) {
	choice, by := "reject", "nobody to ask"
	if v.Ask != nil {
		if c, err := v.Ask(ctx, q); err == nil {
			choice, by = c, "terminal"
		}
	}
	_ = hub.Answer(turn.ID, q.ID, choice, by) // too late is no error
}

func (v *View) show(ev bellcord.Event) error {
	if v.JSON {
		line, err := json.Marshal(ev)
		if err == nil {
			_, err = v.Out.Write(append(line, '\n'))
		}
		return err
	}
	switch b := ev.Body.(type) {
	case bellcord.Said:
		if b.Text != "" {
			v.column0 = strings.HasSuffix(b.Text, "\n")
		}
		_, err := io.WriteString(v.Out, b.Text)
		return err
	case bellcord.Called:
		return v.note("→ %s %s", b.Name, b.Args)
	case bellcord.CallEnded:
		if b.Failed || b.Fate != bellcord.Finished {
			return v.note("  %s", LastLine(b.Text))
		}
	case bellcord.Retrying:
		why := strings.Join(strings.Fields(b.Why), " ") // a server's words may have several lines
		return v.note("… %s; trying again in %s", why, b.Wait.Round(100*time.Millisecond))
	case bellcord.Compacted:
		return v.note("≡ compacted: the conversation so far is now a summary of %s", count(len(strings.Fields(b.Summary)), "word"))
	case bellcord.StopAsked:
		return v.note("■ stopping…")
	case bellcord.Ended:
		return v.newline()
	}
	return nil
}

func (v *View) newline() error {
	if v.column0 {
		return nil
	}
	v.column0 = true
	_, err := io.WriteString(v.Out, "\n")
	return err
}

func (v *View) note(format string, args ...any) error {
	if err := v.newline(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(v.Err, format+"\n", args...)
	return err
}

// LastLine returns the last line of a text that is not empty.
func LastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
