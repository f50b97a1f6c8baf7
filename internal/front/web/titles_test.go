package web_test

import (
	"testing"

	"github.com/bellcord/bellcord/api"
)

func TestSession_TitleWithControlOrDirectionCharacter_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	for _, title := range []string{"safe \u202Etxt.exe", "a\u2066b", "a\x1b[31m", "two\nlines", "a\u0085b", "a\u2028b", "a\u200Fb"} {
		s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Title: title}).isA(422, "bad-input")
		s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: title}).isA(422, "bad-input")
	}
	for _, title := range []string{"Züge nach Köln", "عنوان", "👩\u200d💻 work"} {
		s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: title}).is(200)
	}
}
