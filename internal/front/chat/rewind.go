package chat

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/rewind"
)

// Rewind continues the conversation as it was before a turn, or without a turn takes
// the last rewind back. Files stay as they are.
type Rewind struct {
	Session bellcord.SessionID
	Turn    bellcord.TurnID
}

// mostRewind is how many turns /rewind lists.
const mostRewind = 15

// rewindCommand handles /rewind. It can be reversed, so it asks nothing.
func (m *Model) rewindCommand(rest string) []Action {
	if m.target() != "" && rest != "" {
		m.setHint("A turn is running: stop it first with esc, then use /rewind.")
		return nil
	}
	q, err := rewind.Parse(rest, &m.turns)
	switch {
	case err != nil:
		m.setHint(err.Error())
	case q.Back && !m.turns.Rewound():
		m.setHint(bellcord.ErrNoRewind.Error())
	case q.Back || q.Turn != "":
		return []Action{Rewind{m.session.ID, q.Turn}}
	default:
		m.showNotice(rewindList(rewind.Rows(&m.turns, mostRewind), m.turns.Rewound()))
	}
	return nil
}

// rewindList returns the list of turns to choose from. canTakeBack adds how to take
// the last rewind back.
func rewindList(rows []rewind.Row, canTakeBack bool) string {
	text := rewind.Nothing
	if len(rows) > 0 {
		var lines strings.Builder
		lines.WriteString(rewind.Title + "\n")
		for _, r := range rows {
			lines.WriteString("  " + r.ID + "  " + r.Words + "\n")
		}
		text = lines.String() + rewind.Usage
	}
	if canTakeBack {
		text += "\n" + rewind.TakesBack
	}
	return text
}

func (r Rewind) do(ctx context.Context, e *Runner) Report {
	done, err := e.Hub.Rewind(ctx, r.Session, r.Turn)
	if err != nil {
		return Report{Of: r, Err: err}
	}
	return Report{Of: r, Text: rewind.After(done)} // the log has the rest
}

func (Rewind) inOrder() bool { return true }
