package chats_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats"
)

func TestChoiceLabels_Choices_AreNamedByTheirIDsAndNeverEqual(t *testing.T) {
	t.Parallel()
	own := []bellcord.Choice{
		{ID: "allow", Text: "Allow once", Kind: "allow_once"},
		{ID: "allow_session", Text: "For the session", Kind: "allow_always"},
		{ID: "allow_always", Text: "Always", Kind: "allow_always"},
		{ID: "reject", Text: "Reject", Kind: "reject_once"},
	}
	if got, want := chats.ChoiceLabels(own), []string{"✓ Once", "✓ This session", "✓ Always here", "✕ Deny"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	others := []bellcord.Choice{{ID: "1", Text: "In this folder", Kind: "allow_always"}, {ID: "2", Text: "Everywhere", Kind: "allow_always"}, {ID: "3", Text: "No", Kind: "reject_once"}}
	if got, want := chats.ChoiceLabels(others), []string{"In this folder", "Everywhere", "✕ Deny"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	same := []bellcord.Choice{{ID: "1", Text: "Go", Kind: "x"}, {ID: "2", Text: "Go", Kind: "x"}}
	if got := chats.ChoiceLabels(same); got[0] == got[1] {
		t.Errorf("got %q twice", got[0])
	}
}

func TestDistinct_NumberedLabelTaken_UsesTheNextNumber(t *testing.T) {
	t.Parallel()
	var got []string
	for _, row := range chats.Distinct([][]chats.Button{{{Text: "a"}, {Text: "a (2)"}}, {{Text: "a"}}, {{Text: "b"}}}) {
		for _, b := range row {
			got = append(got, b.Text)
		}
	}
	if want := []string{"a", "a (2)", "a (3)", "b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
