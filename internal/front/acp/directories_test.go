package acp_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestAdditionalDirectories_OfEachRequest_AreTheSessionsUntilTheNext(t *testing.T) {
	t.Parallel()
	var seen []string
	agent := func(_ context.Context, w *hub.Work) error {
		seen = w.Session.AdditionalDirs
		return nil
	}
	one, two := t.TempDir(), t.TempDir()
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		hello := e.request("initialize", obj{"protocolVersion": 1, "clientCapabilities": obj{}})
		if hello.Result["agentCapabilities"].(obj)["sessionCapabilities"].(obj)["additionalDirectories"] == nil {
			t.Errorf("the capability is not announced: %v", hello.Result)
		}
		e.session = e.request("session/new", obj{"cwd": e.dir, "mcpServers": []any{}, "additionalDirectories": []string{one, two}}).Result["sessionId"].(string)
		check := func(after string, want ...string) {
			t.Helper()
			e.answer(e.prompt("go"))
			if !slices.Equal(seen, want) {
				t.Errorf("after %s the turn has %v, want %v", after, seen, want)
			}
			stored, err := e.store.Session(t.Context(), bellcord.SessionID(e.session))
			if err != nil || !slices.Equal(stored.AdditionalDirs, want) || stored.Dir != e.dir {
				t.Errorf("after %s the store has %+v, %v", after, stored, err)
			}
			for _, row := range e.request("session/list", obj{}).Result["sessions"].([]any) {
				listed, _ := row.(obj)["additionalDirectories"].([]any)
				if row.(obj)["sessionId"] == e.session && len(listed) != len(want) {
					t.Errorf("after %s the list has %v", after, row)
				}
			}
		}
		check("new", one, two)
		for _, method := range []string{"session/load", "session/resume"} {
			e.request(method, obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}, "additionalDirectories": []string{two}})
			check(method, two)
			e.request(method, obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
			check(method + " without directories")
		}
	})
}
