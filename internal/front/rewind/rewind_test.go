package rewind_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/front/rewind"
)

const (
	first  = bellcord.TurnID("01a1e14a-0001-7000-8000-00000a2507a5")
	second = bellcord.TurnID("01a1e14a-0002-7000-8000-00000a25beef")
	third  = bellcord.TurnID("01a1e14b-0003-7000-8000-00000000cafe")
)

// turns returns three turns, of which the conversation has the first two.
func turns() *history.Turns {
	all := &history.Turns{}
	seq := int64(0)
	add := func(turn bellcord.TurnID, b bellcord.Body) {
		seq++
		all.Read(bellcord.Event{Seq: seq, Turn: turn, Body: b})
	}
	for id, p := range map[bellcord.TurnID]bellcord.Prompt{first: {Text: "fix the cart\nnow"}, second: {Task: bellcord.TaskCompact}, third: {Text: "rewound"}} {
		add(id, bellcord.TurnAccepted{Prompt: p})
	}
	add(first, bellcord.TurnStarted{})
	add(second, bellcord.TurnStarted{})
	add(third, bellcord.TurnStarted{})
	add("", bellcord.ConversationRewound{Turn: third, FromSeq: seq})
	return all
}

func TestParse_Words_MeanAListATurnOrTheWayBack(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]rewind.Request{
		"": {}, "back\n": {Back: true}, "BACK": {Back: true}, "beef": {Turn: second}, "…0a2507A5": {Turn: first}, string(first): {Turn: first},
	} {
		if got, err := rewind.Parse(rest, turns()); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", rest, got, err, want)
		}
	}
}

func TestParse_UnknownAmbiguousOrRewoundTurn_IsAnError(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]string{
		"ffff":      "no such turn: no id begins or ends with ffff",
		"01a1e14a":  "01a1e14a is ambiguous: 2 ids begin or end with it",
		"beef 07a5": "use /rewind, /rewind TURN or /rewind back",
	} {
		if got, err := rewind.Parse(rest, turns()); err == nil || err.Error() != want {
			t.Errorf("%q: %+v, %v; want %s", rest, got, err, want)
		}
	}
	if _, err := rewind.Parse("cafe", turns()); !errors.Is(err, bellcord.ErrNotInConversation) {
		t.Errorf("a turn that was rewound: %v", err)
	}
}

func TestRows_Conversation_HasShortIDsAndFirstWords(t *testing.T) {
	t.Parallel()
	want := []rewind.Row{{first, "…0a2507a5", "fix the cart"}, {second, "…0a25beef", "(a summary of the conversation)"}}
	if got := rewind.Rows(turns(), 5); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := rewind.Rows(turns(), 1); !slices.Equal(got, want[1:]) {
		t.Errorf("got %+v, want the last one", got)
	}
}

func TestSplitTurn_FirstWord_IsATurnOnlyIfItIsAPartOfOneID(t *testing.T) {
	t.Parallel()
	started := turns().Started()
	for word, want := range map[string]bellcord.TurnID{"beef": second, "cafe": third, "eef": "", "./beef": "", "main.go": ""} {
		turn, paths, err := rewind.SplitTurn([]string{word, "a.txt"}, started)
		if rest := len(paths) == 1; turn != want || err != nil || rest != (want != "") {
			t.Errorf("%s: %q, %q, %v; want %q", word, turn, paths, err, want)
		}
	}
	if _, _, err := rewind.SplitTurn([]string{"01a1"}, started); err == nil {
		t.Error("a part of three ids is no error")
	}
}

func TestDone_Rewind_SaysThatFilesStayAndHowToTakeItBack(t *testing.T) {
	t.Parallel()
	want := "The conversation goes on as it was before an earlier turn. Files stay as they are. /rewind back takes the last rewind back."
	if got := rewind.Done(bellcord.ConversationRewound{Turn: first}); got != want {
		t.Errorf("got %q", got)
	}
	want = "The conversation includes the turns again that a rewind had removed. Files stay as they are."
	if got := rewind.Done(bellcord.ConversationRewound{TakenBack: true}); got != want {
		t.Errorf("got %q", got)
	}
}
