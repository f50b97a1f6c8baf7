package web_test

import (
	"testing"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/store"
)

func TestUndo_InvalidID_Returns422WithAndWithoutDryRun(t *testing.T) {
	t.Parallel()
	recorder := undo.New(undo.Options{Place: t.TempDir()})
	t.Cleanup(func() {
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	})
	files := &undo.Files{Recorder: recorder}
	s := newStage(t, func(with *setup) {
		with.Files = files
		with.store = func(kept store.Store) store.Store { files.Store = kept; return kept }
	})
	session, _ := s.session("anna")
	id := s.prompt("anna", session, "say hi").ID
	s.ended("anna", id)
	for _, path := range []string{"/v1/turns/" + string(id) + "/undo", session + "/undos/u-1/redo"} {
		for _, dry := range []bool{true, false} {
			s.roundTrip("anna", "POST", path, api.Undo{ID: "../x", DryRun: dry}).is(422)
			s.roundTrip("anna", "POST", path, api.Undo{ID: "lock", DryRun: dry}).isA(422, "value-rejected")
		}
	}
}
