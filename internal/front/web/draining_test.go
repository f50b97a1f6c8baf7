package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/bellcord/bellcord/api"
)

func TestPrompt_WhileDraining_AnswersServiceUnavailable(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(*setup) {})
	session, _ := s.session("anna")
	ctx, done := context.WithCancel(t.Context())
	done()
	_ = s.hub.WaitForTurns(ctx)
	a := s.roundTrip("anna", "POST", session+"/turns", api.NewTurn{Text: "hello"})
	a.isA(http.StatusServiceUnavailable, "shutting-down")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
