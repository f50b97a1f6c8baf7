package hub

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/store"
)

// Rewind continues the conversation of a session as it was before a turn: the turn
// and those after it stay in the log, but are no longer sent to the model. Files
// stay as they are. Without a turn, it takes the last rewind back. It returns
// ErrTurnRunning while a turn of the session is running or queued,
// ErrNotInConversation if the turn is not part of the conversation, and
// ErrNoRewind if there is no rewind to take back.
func (h *Hub) Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error) {
	rewound := bellcord.ConversationRewound{Turn: turn, TakenBack: turn == ""}
	if _, err := h.OpenSession(ctx, session); err != nil {
		return rewound, err
	}
	turns, err := h.SessionTurns(ctx, session)
	switch {
	case err != nil:
		return rewound, err
	case turn != "":
		found, err := turns.Find(turn)
		if err != nil {
			return rewound, err
		}
		rewound.FromSeq = found.Seq
	case !turns.Rewound():
		return rewound, bellcord.ErrNoRewind
	}
	if err := store.CheckIdle(ctx, h.store, session); err != nil {
		return rewound, err
	}
	return rewound, h.putRewind(ctx, session, rewound)
}

// SessionTurns returns the turns of a session that have started, and which of them
// are part of its conversation.
func (h *Hub) SessionTurns(ctx context.Context, session bellcord.SessionID) (*history.Turns, error) {
	turns := &history.Turns{}
	err := store.EachEvent(ctx, h.store, session, 0, func(ev bellcord.Event) bool {
		turns.Read(ev)
		return true
	})
	return turns, err
}

// putRewind records the rewind, unless a turn has started in the meantime. A
// prompt that arrives later comes after it in the log.
func (h *Hub) putRewind(ctx context.Context, session bellcord.SessionID, r bellcord.ConversationRewound) error {
	h.mu.Lock()
	l := h.sessions[session]
	if l == nil {
		h.mu.Unlock()
		return bellcord.ErrNotOpen
	}
	if l.running != nil && l.running.phase != phaseSealed {
		h.mu.Unlock()
		return bellcord.ErrTurnRunning
	}
	entry := l.journal.Put(store.AppendEvents{Session: session, Bodies: []bellcord.Body{r}, At: h.now()})
	h.mu.Unlock()
	return entry.WaitOrWithdraw(ctx)
}
