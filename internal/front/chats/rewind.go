package chats

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/front/rewind"
)

// mostRewind is how many turns /rewind offers.
const mostRewind = 8

// rewindCommand answers /rewind: with the turns of the conversation, or with the
// result of a rewind.
func (c *chat) rewindCommand(ctx context.Context, rest string) (string, [][]Button) {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if session == "" {
		return rewind.Nothing, nil
	}
	turns, err := c.sessionTurns(ctx, session)
	if err != nil {
		return c.undoProblem(err), nil
	}
	q, err := rewind.Parse(rest, turns)
	switch {
	case errors.Is(err, bellcord.ErrNotInConversation):
		return c.undoProblem(err), nil
	case err != nil:
		return refusal(err), nil
	case q != rewind.Request{}:
		return c.rewind(ctx, session, q.Turn), nil
	}
	text := rewind.Nothing
	var rows [][]Button
	for _, r := range rewind.Rows(turns, mostRewind) {
		text = "⏪ Go on as before which turn? Files stay as they are: /undo is for those."
		rows = append(rows, []Button{{Text: r.ID + " " + r.Words, Data: "w:" + string(r.Turn)}})
	}
	if turns.Rewound() {
		text += "\n\n" + rewind.TakesBack
	}
	return text, rows
}

// rewind continues the conversation as it was before a turn, or without a turn takes
// the last rewind back.
func (c *chat) rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) string {
	done, err := c.front.Hub.Rewind(ctx, session, turn)
	if err != nil {
		return c.undoProblem(err)
	}
	return "⏪ " + rewind.Done(done)
}

// pressRewind handles the button of a turn. The turn must belong to the session of
// the chat, because the data of a press can be forged.
func (c *chat) pressRewind(ctx context.Context, turn bellcord.TurnID) string {
	t, err := c.front.Hub.Turn(ctx, turn)
	if err != nil || !c.has(t.Session) {
		return isOver
	}
	done, err := c.front.Hub.Rewind(ctx, t.Session, turn)
	switch {
	case errors.Is(err, bellcord.ErrNotInConversation):
		return isOver
	case err != nil:
		c.sendText(c.undoProblem(err))
	default:
		c.sendText("⏪ " + rewind.Done(done))
	}
	return ""
}

// sessionTurns returns the turns of a session that have started.
func (c *chat) sessionTurns(ctx context.Context, session bellcord.SessionID) (*history.Turns, error) {
	turns := &history.Turns{}
	err := c.eachEvent(ctx, session, 0, func(ev bellcord.Event) bool {
		turns.Read(ev)
		return true
	})
	return turns, err
}
