package acp_test

import (
	"context"
	"encoding/json"
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
		}}, e.open)
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

func TestInitialize_ClientWithTerminals_IsOfferedTheSetUpInOne(t *testing.T) {
	t.Parallel()
	args := func(c *acp.Config) { c.SetUpArgs, c.Command = []string{"--set-up"}, []string{"/bin/bellcord", "acp"} }
	edit(t, waits, args, func(t *testing.T, e *editor) {
		for _, test := range []struct {
			can  obj
			want int
		}{{obj{}, 1}, {obj{"auth": obj{"terminal": false}}, 1}, {obj{"auth": obj{"terminal": true}}, 2}, {obj{"_meta": obj{"terminal-auth": true}}, 2}} {
			hello := e.request("initialize", obj{"protocolVersion": 1, "clientCapabilities": test.can}).Result
			methods := hello["authMethods"].([]any)
			if len(methods) != test.want {
				t.Fatalf("with %v: %v", test.can, methods)
			}
			if last := methods[len(methods)-1].(obj); test.want == 2 && (last["type"] != "terminal" || last["args"].([]any)[0] != "--set-up") {
				t.Errorf("offered %v", last)
			}
			if older := test.can["_meta"] != nil; older {
				meta, _ := json.Marshal(methods[1].(obj)["_meta"])
				if want := `{"terminal-auth":{"args":["acp","--set-up"],"command":"/bin/bellcord","label":"Enter an API key"}}`; string(meta) != want {
					t.Errorf("offered %s, want %s", meta, want)
				}
			}
			if hello["agentCapabilities"].(obj)["auth"] != nil {
				t.Errorf("a logout is offered: %v", hello)
			}
		}
		if f := e.request("authenticate", obj{"methodId": "setup-terminal"}); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("the terminal's method is taken: %+v", f)
		}
	})
}
