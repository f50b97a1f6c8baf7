package acp_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/acp"
)

func TestSetUp_NoModelConfigured_RejectsSessionsUntilSetUpSucceeds(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		_ = e.wire.Close()
		if err := <-e.served; err != nil {
			t.Fatal(err)
		}
		tries := 0
		ready := acp.Config{Version: "test", Model: "fake/found", Mode: "ask"}
		e.connect(acp.Config{Version: "test", SetUp: func(context.Context) (acp.Config, error) {
			if tries++; tries == 1 {
				return acp.Config{}, errors.New("nothing is found here")
			}
			return ready, nil
		}})
		fails := func(method string, params obj, code int) {
			t.Helper()
			if f := e.request(method, params); f.Error == nil || f.Error.Code != code {
				t.Errorf("%s is answered %+v", method, f)
			}
		}
		fails("session/new", obj{"cwd": e.dir}, -32000)
		fails("session/list", obj{}, -32000)
		fails("authenticate", obj{"methodId": "password"}, -32602)
		fails("authenticate", obj{"methodId": "setup"}, -32000)
		fails("session/load", obj{"sessionId": e.session, "cwd": e.dir}, -32000)
		for range 2 { // a repetition succeeds and does nothing
			if f := e.request("authenticate", obj{"methodId": "setup"}); f.Error != nil {
				t.Fatalf("%+v", f.Error)
			}
		}
		if tries != 2 {
			t.Errorf("it was set up %d times", tries)
		}
		made := e.request("session/new", obj{"cwd": e.dir, "mcpServers": []any{}})
		opened, err := e.hub.Session(t.Context(), bellcord.SessionID(made.Result["sessionId"].(string)))
		if err != nil || opened.Model != "fake/found" {
			t.Errorf("the session has the model %q, %v", opened.Model, err)
		}
	})
}
