package storetest

import (
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// claimed is a running turn with its fence.
type claimed struct {
	session bellcord.SessionID
	turn    bellcord.TurnID
	fence   int64
}

func accept(s bellcord.SessionID) store.AcceptTurn {
	return acceptAs(s, bellcord.NewTurnID())
}

func acceptAs(s bellcord.SessionID, id bellcord.TurnID) store.AcceptTurn {
	return store.AcceptTurn{Session: s, Turn: id, Prompt: bellcord.Prompt{Text: "a prompt"}, At: now()}
}

func claim(s bellcord.SessionID, id bellcord.TurnID) store.ClaimTurn {
	return store.ClaimTurn{Session: s, Turn: id, At: now()}
}

// appendTexts returns the n-th append of a turn, with one event per text.
func (c claimed) appendTexts(n int64, texts ...string) store.AppendEvents {
	return store.AppendEvents{Session: c.session, Turn: c.turn, Fence: c.fence, N: n, Bodies: textDeltas(texts...), At: now()}
}

// ends returns the end of a turn with a matching receipt.
func (c claimed) ends(end bellcord.End) store.FinishTurn {
	r := bellcord.Receipt{Turn: c.turn, Session: c.session, End: end, RaceWinner: bellcord.CompletionWon, Kept: bellcord.Kept{TextBytes: 7}}
	r.Times.Settled = now()
	if end == bellcord.EndStopped {
		r.RaceWinner = bellcord.StopWon
	}
	return store.FinishTurn{Session: c.session, Turn: c.turn, Fence: c.fence, Receipt: r, At: r.Times.Settled}
}

// under returns the same turn with another fence.
func (c claimed) under(fence int64) claimed {
	c.fence = fence
	return c
}

// note returns an append of events that belong to no turn.
func note(s bellcord.SessionID, titles ...string) store.AppendEvents {
	op := store.AppendEvents{Session: s, At: now()}
	for _, title := range titles {
		op.Bodies = append(op.Bodies, bellcord.SessionUpdated{Title: title})
	}
	return op
}

// stopBy returns a stop that is requested now.
func stopBy(person string, mode bellcord.StopMode) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: person, Source: "storetest", Reason: "enough", At: now(), Mode: mode}
}

func recordStop(id bellcord.TurnID, cause bellcord.Cause) store.RecordStop {
	return store.RecordStop{Turn: id, Cause: cause}
}

func textDeltas(texts ...string) []bellcord.Body {
	var all []bellcord.Body
	for _, text := range texts {
		all = append(all, bellcord.TextDelta{Text: text})
	}
	return all
}

// textOf returns the text that identifies an event of this suite.
func textOf(ev bellcord.Event) string {
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		return b.Text
	case bellcord.SessionUpdated:
		return b.Title
	}
	return fmt.Sprintf("%s of %s", ev.Body.Kind(), ev.Turn)
}

// requester returns the requester of a recorded stop.
func requester(c *bellcord.Cause) string {
	if c == nil {
		return "nobody"
	}
	return c.By
}
