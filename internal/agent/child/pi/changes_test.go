package pi_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestTurn_ToolEdits_ShowsThePlaceAndTheChanges(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: `quick tool edit {"path":"a.txt","edits":[{"oldText":"one","newText":"two"},{"oldText":"x","newText":""}]}`})
		s.end(turn)
		bodies := s.bodies(turn.ID)
		path := filepath.Join(s.session.Dir, "a.txt")
		calls := of[bellcord.ToolCallRequested](bodies)
		if len(calls) != 1 || len(calls[0].Locations) != 1 || calls[0].Locations[0].Path != path {
			t.Fatalf("calls %+v", calls)
		}
		var shown []bellcord.CallContent
		for _, u := range of[bellcord.ToolCallUpdated](bodies) {
			shown = u.Content
		}
		one, x := "one", "x"
		want := []bellcord.CallContent{
			{Change: &bellcord.Change{Path: path, Old: &one, New: "two"}}, {Change: &bellcord.Change{Path: path, Old: &x}},
		}
		if got, want := asJSON(t, shown), asJSON(t, want); got != want {
			t.Errorf("shown %s, want %s", got, want)
		}
	})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
