package acp

import (
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/rewind"
)

// mostRewind is how many turns /rewind lists.
const mostRewind = 20

// rewind runs /rewind: it lists the turns of the conversation, continues it as it
// was before one of them, or takes the last rewind back.
func (s *session) rewind(rest string) (string, error) {
	ctx := s.server.life
	turns, err := s.hub.SessionTurns(ctx, s.id)
	if err != nil {
		return "", err
	}
	q, err := rewind.Parse(rest, turns)
	if err != nil {
		return "", err
	}
	if q == (rewind.Request{}) {
		if err := s.server.allow(bellcord.ScopeRead); err != nil {
			return "", err
		}
		return rewindList(rewind.Rows(turns, mostRewind), turns.Rewound()), nil
	}
	done, err := s.hub.Rewind(ctx, s.id, q.Turn)
	if err != nil {
		return "", err
	}
	return rewind.Done(done), nil
}

// rewindList returns the turns to choose from in Markdown. canTakeBack adds how to
// take the last rewind back.
func rewindList(rows []rewind.Row, canTakeBack bool) string {
	text := rewind.Nothing + "\n"
	if len(rows) > 0 {
		var lines strings.Builder
		lines.WriteString(rewind.Title + "\n")
		for _, r := range rows {
			lines.WriteString("- `" + r.ID + "` " + r.Words + "\n")
		}
		text = lines.String() + "\n" + rewind.Usage + "\n"
	}
	if canTakeBack {
		text += rewind.TakesBack + "\n"
	}
	return text
}
