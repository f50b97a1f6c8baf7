package chat_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

const (
	cartTurn = bellcord.TurnID("01a1e14a-0001-7000-8000-00000a2507a5")
	docsTurn = bellcord.TurnID("01a1e14a-0002-7000-8000-00000a25beef")
)

// twoTurns returns a stage with two turns that have ended.
func twoTurns(t *testing.T) *stage {
	t.Helper()
	s := newStage(t).of(cartTurn).runs("fix the cart").ends(bellcord.Receipt{End: bellcord.EndDone, Changes: &twoFiles})
	return s.of(docsTurn).runs("write the docs").ends(bellcord.Receipt{End: bellcord.EndDone})
}

// rewound lets the log report a rewind to before the second turn.
func (s *stage) rewound() *stage {
	return s.happens(bellcord.ConversationRewound{Turn: docsTurn, FromSeq: 5})
}

func TestRewind_Alone_ListsTheTurnsOfTheConversation(t *testing.T) {
	t.Parallel()
	s := twoTurns(t)
	if got := s.enters("/rewind"); got != nil {
		t.Errorf("got %+v", got)
	}
	s.shows("rewind", 80, 24)
	s = twoTurns(t).rewound()
	s.enters("/rewind")
	s.has("…0a2507a5  fix the cart", "/rewind back takes the last rewind back.").hasNot("…0a25beef")
	s = newStage(t)
	s.enters("/rewind")
	s.has("The conversation has no turn to rewind to.")
}

func TestRewind_TurnOrBack_IsSentAndItsResultShown(t *testing.T) {
	t.Parallel()
	s := twoTurns(t)
	if got := s.enters("/rewind 0a25beef"); !slices.Equal(got, []chat.Action{chat.Rewind{Session: "s", Turn: docsTurn}}) {
		t.Fatalf("got %+v", got)
	}
	s.rewound().m.Apply(chat.Report{Of: chat.Rewind{}, Text: "Files stay as they are."})
	s.has("— the conversation goes on as it was before an earlier turn —", "Files stay as they are.")
	if got := s.enters("/rewind back"); !slices.Equal(got, []chat.Action{chat.Rewind{Session: "s"}}) {
		t.Errorf("got %+v", got)
	}
	s.m.Apply(chat.Report{Of: chat.Rewind{}, Err: errors.New("the disk is full")})
	s.has("not rewound: the disk is full")
}

func TestRewind_WhatCannotBeRewound_IsExplained(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"/rewind beef":      "the turn is not part of the conversation",
		"/rewind 01a1 back": "use /rewind, /rewind TURN or /rewind back",
		"/rewind ffff":      "no such turn: no id begins or ends with ffff",
	} {
		s := twoTurns(t).rewound()
		if got := s.enters(command); got != nil {
			t.Errorf("%s: %+v", command, got)
		}
		s.has(want)
	}
	s := twoTurns(t)
	s.enters("/rewind back")
	s.has("the conversation was not rewound")
	s = twoTurns(t).of("t3").runs("x")
	if got := s.enters("/rewind beef"); got != nil {
		t.Errorf("while a turn runs: %+v", got)
	}
	s.has("A turn is running: stop it first with esc, then use /rewind.")
}

// An undo is about files: it may name a turn that is no longer part of the
// conversation.
func TestUndo_Turn_IsNamedByAPartOfItsID(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]chat.PreviewUndo{
		"/undo …0a2507a5 cart.go": {Session: "s", Turn: cartTurn, Paths: []string{"cart.go"}},
		"/undo 0a25beef":          {Session: "s", Turn: docsTurn},
		"/undo ./0a25beef":        {Session: "s", Paths: []string{"./0a25beef"}},
	} {
		got, is := twoTurns(t).rewound().enters(command)[0].(chat.PreviewUndo)
		if !is || got.Turn != want.Turn || !slices.Equal(got.Paths, want.Paths) {
			t.Errorf("%s: %+v, want %+v", command, got, want)
		}
	}
	s := twoTurns(t)
	if got := s.enters("/undo 01a1e14a"); got != nil {
		t.Errorf("a part of two ids: %+v", got)
	}
	s.has("01a1e14a is ambiguous: 2 ids begin or end with it; write ./01a1e14a for a path")
}
