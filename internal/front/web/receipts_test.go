package web_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

func TestReceipts_Caller_ListsOnlyItsOwnTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	one, oneID := s.session("anna")
	two, _ := s.session("anna")
	berts, bertsID := s.session("bert")
	ended := func(user, path string) bellcord.TurnID {
		turn := s.prompt(user, path, "spend").ID
		s.ended(user, turn)
		return turn
	}
	first, second, bert, third := ended("anna", one), ended("anna", two), ended("bert", berts), ended("anna", one)
	s.prompt("anna", two, "ask May I?") // has not ended
	for _, test := range []struct {
		user, query string
		want        []bellcord.TurnID
	}{
		{"anna", "", []bellcord.TurnID{third, second, first}},
		{"anna", "?limit=1", []bellcord.TurnID{third}},
		{"anna", "?session=" + string(oneID), []bellcord.TurnID{third, first}},
		{"anna", "?turn=" + string(second[:30]), []bellcord.TurnID{second}},
		{"anna", "?turn=" + string(bert), nil},
		{"bert", "", []bellcord.TurnID{bert}},
		{"admin", "", []bellcord.TurnID{third, bert, second, first}},
	} {
		var found api.Receipts
		s.roundTrip(test.user, "GET", "/v1/receipts"+test.query, nil).is(200).into(&found)
		var got []bellcord.TurnID
		for _, r := range found.Receipts {
			got = append(got, r.Turn)
		}
		if !slices.Equal(got, test.want) || found.Receipts == nil {
			t.Errorf("%s%s: %v, want %v", test.user, test.query, got, test.want)
		}
	}
	s.roundTrip("anna", "GET", "/v1/receipts?session="+string(bertsID), nil).isA(404, "session-not-found")
	s.roundTrip("anna", "GET", "/v1/receipts?limit=0", nil).is(422)
	s.roundTrip("anna", "GET", "/v1/receipts?limit=101", nil).is(422)
}
