package storetest

import (
	"fmt"

	"github.com/bellcord/bellcord"
)

// claimed is a turn that runs, and the fence it runs under.
type claimed struct {
	session bellcord.SessionID
	turn    bellcord.TurnID
	fence   int64
}

func accept(s bellcord.SessionID) bellcord.AcceptTurn {
	return acceptAs(s, bellcord.NewTurnID())
}

func acceptAs(s bellcord.SessionID, id bellcord.TurnID) bellcord.AcceptTurn {
	return bellcord.AcceptTurn{Session: s, Turn: id, Prompt: bellcord.Prompt{Text: "a prompt"}, At: now()}
}

func claim(s bellcord.SessionID, id bellcord.TurnID) bellcord.ClaimTurn {
	return bellcord.ClaimTurn{Session: s, Turn: id, At: now()}
}

// says is the n-th append of a turn: one event for each text.
func (c claimed) says(n int64, texts ...string) bellcord.AppendEvents {
	return bellcord.AppendEvents{Session: c.session, Turn: c.turn, Fence: c.fence, N: n, Bodies: said(texts...), At: now()}
}

// ends is a turn's end with a receipt to match.
func (c claimed) ends(end bellcord.End) bellcord.FinishTurn {
	r := bellcord.Receipt{Turn: c.turn, Session: c.session, End: end, RaceWinner: bellcord.CompletionWon, Kept: bellcord.Kept{TextBytes: 7}}
	r.Times.Settled = now()
	if end == bellcord.EndStopped {
		r.RaceWinner = bellcord.StopWon
	}
	return bellcord.FinishTurn{Session: c.session, Turn: c.turn, Fence: c.fence, Receipt: r, At: r.Times.Settled}
}

// under is the same turn under another fence.
func (c claimed) under(fence int64) claimed {
	c.fence = fence
	return c
}

// note is something that concerns a session alone.
func note(s bellcord.SessionID, titles ...string) bellcord.AppendEvents {
	op := bellcord.AppendEvents{Session: s, At: now()}
	for _, title := range titles {
		op.Bodies = append(op.Bodies, bellcord.SessionUpdated{Title: title})
	}
	return op
}

// stopBy is a stop that somebody asked for now.
func stopBy(who string, mode bellcord.StopMode) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: who, Source: "storetest", Reason: "enough", At: now(), Mode: mode}
}

func ask(id bellcord.TurnID, cause bellcord.Cause) bellcord.RecordStop {
	return bellcord.RecordStop{Turn: id, Cause: cause}
}

func said(texts ...string) []bellcord.Body {
	var all []bellcord.Body
	for _, text := range texts {
		all = append(all, bellcord.TextDelta{Text: text})
	}
	return all
}

// textOf tells apart the events that this suite writes.
func textOf(ev bellcord.Event) string {
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		return b.Text
	case bellcord.SessionUpdated:
		return b.Title
	}
	return fmt.Sprintf("%s of %s", ev.Body.Kind(), ev.Turn)
}

// who names the one on record as having asked for a stop.
func who(c *bellcord.Cause) string {
	if c == nil {
		return "nobody"
	}
	return c.By
}
