package chats

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/front/rewind"
	"github.com/bellcord/bellcord/internal/visible"
	"github.com/bellcord/bellcord/store"
)

// choices are what the user chooses: the session, and settings of the next one.
type choices struct {
	*shared
	choice choice
}

// offerConversations offers the owner's sessions.
func (cs *choices) offerConversations(ctx context.Context) (string, [][]Button) {
	const most = 8
	found, err := cs.front.Hub.Sessions(ctx, store.SessionQuery{Owner: cs.owner, Limit: most})
	if err != nil {
		return cs.apology(err.Error()), nil
	}
	if len(found) == 0 {
		return "There are no sessions yet.", nil
	}
	var rows [][]Button
	for _, s := range found {
		title := titleOf(s)
		if cs.currentSession() == s.ID {
			title = "● " + title
		}
		rows = append(rows, []Button{{Text: title + " · " + ago(s.Updated), Data: "o:" + string(s.ID)}})
	}
	return "Choose a session:", distinct(rows)
}

// titleOf returns a session's title for users.
func titleOf(s bellcord.Session) string { return cmp.Or(visible.Text(s.Title), "(no messages yet)") }

func ago(t time.Time) string {
	if d := time.Since(t); d >= time.Minute {
		return span(d) + " ago"
	}
	return "just now"
}

// goTo switches the chat to another session of its owner. A turn that runs in
// the previous session continues and is shown.
func (cs *choices) goTo(ctx context.Context, id bellcord.SessionID) string {
	found, err := cs.front.Hub.Session(ctx, id)
	switch {
	case errors.Is(err, bellcord.ErrNoSession), err == nil && found.Owner != cs.owner:
		return "That session no longer exists."
	case err != nil:
		return cs.apology(err.Error())
	}
	cs.become(id)
	cs.sendText("Switched to: " + titleOf(found))
	return ""
}

func (cs *choices) agents() string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return "Agent: " + named(cs.choice.Agent) + "\n\nChoosing another agent starts a new session."
}

// chooseAgent sets the agent; the next message starts a new session. It stops
// nothing: a running turn continues and is shown.
func (cs *choices) chooseAgent(_ context.Context, name string) string {
	if name == "bellcord" {
		name = ""
	}
	if name != "" {
		if err := cs.front.CheckAgent(name); err != nil {
			return "There is no agent called " + name + ". Send /agent to see them all."
		}
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.choice.Agent, cs.session = name, ""
	cs.note()
	cs.sendText("Agent: " + named(name) + ". Your next message starts a new session with it.")
	return ""
}

func (cs *choices) models(ctx context.Context) string {
	cs.mu.Lock()
	id, name := cs.session, cs.choice.Model
	cs.mu.Unlock()
	if found, err := cs.front.Hub.Session(ctx, id); err == nil && found.Model != "" {
		name = found.Model
	}
	if name == "" {
		name = "the agent's default"
	}
	return "Model: " + name
}

// chooseModel sets the model, starting with the next turn.
func (cs *choices) chooseModel(ctx context.Context, name string) string {
	if err := cs.front.CheckModel(name); err != nil {
		return "There is no model called " + name + ". Send /model to see them all."
	}
	cs.mu.Lock()
	cs.choice.Model = name
	id := cs.session
	cs.note()
	cs.mu.Unlock()
	if id != "" {
		_, err := cs.front.Hub.OpenSession(ctx, id)
		if err == nil {
			_, err = cs.front.Hub.Configure(id, bellcord.SessionUpdated{Model: name})
		}
		if err != nil {
			return cs.apology(err.Error())
		}
	}
	cs.sendText("Model: " + name + ", from your next message on.")
	return ""
}

// mostRewind is how many turns /rewind offers.
const mostRewind = 8

// rewindCommand answers /rewind: with the turns of the conversation, or with the
// result of a rewind.
func (c *chat) rewindCommand(ctx context.Context, rest string) (string, [][]Button) {
	session := c.currentSession()
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
	if err != nil || c.currentSession() != t.Session {
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
func (sh *shared) sessionTurns(ctx context.Context, session bellcord.SessionID) (*history.Turns, error) {
	turns := &history.Turns{}
	err := sh.eachEvent(ctx, session, 0, func(ev bellcord.Event) bool {
		turns.Read(ev)
		return true
	})
	return turns, err
}
