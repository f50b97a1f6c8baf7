package acp_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/store/sqlite"
)

// window opens a second window of the editor: a separate hub on the same
// directory, as in another process, with the session loaded.
func (e *editor) window(agent script) *editor {
	e.t.Helper()
	store, err := sqlite.Open(e.t.Context(), e.dir)
	if err != nil {
		e.t.Fatal(err)
	}
	hub, err := hub.Open(e.t.Context(), store, agent, hub.Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	other := &editor{t: e.t, hub: hub, store: store, dir: e.dir, session: e.session, grew: make(chan struct{}), served: make(chan error, 1)}
	other.connect(acp.Config{Version: "test", Model: "fake/one", Mode: "ask", Logger: slog.New(slog.DiscardHandler)}, other.open)
	e.t.Cleanup(func() {
		_ = other.wire.Close()
		if err := errors.Join(<-other.served, hub.Close(context.Background()), store.Close()); err != nil {
			e.t.Error(err)
		}
	})
	other.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
	return other
}

func TestLaw04_StopInASecondWindow_StopsTheTurnOfTheFirst(t *testing.T) {
	t.Parallel()
	stops := map[string]func(other *editor){
		"session/cancel": func(other *editor) { other.notify("session/cancel", other.here()) },
		"/stop": func(other *editor) {
			other.ends(other.prompt("/stop"), "end_turn")
			other.shown(`"Stopped: 2 prompts."`)
		},
		"session/close": func(other *editor) {
			if f := other.request("session/close", other.here()); f.Error != nil {
				other.t.Errorf("close: %+v", f.Error)
			}
		},
		"session/delete": func(other *editor) {
			if f := other.request("session/delete", other.here()); f.Error != nil {
				other.t.Errorf("delete: %+v", f.Error)
			}
			if _, err := other.store.Session(context.Background(), bellcord.SessionID(other.session)); !errors.Is(err, bellcord.ErrNoSession) {
				other.t.Errorf("after the delete: %v", err)
			}
		},
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit(t, waits, nil, func(t *testing.T, e *editor) {
				running, queued := e.prompt("one"), e.prompt("two")
				e.shown("here: one")
				other := e.window(waits)
				began := time.Now()
				stop(other)
				e.ends(running, "cancelled")
				e.ends(queued, "cancelled")
				if took := time.Since(began); took > 11*time.Second { // the first window polls every 10 s
					t.Errorf("stopped after %v", took)
				}
			})
		})
	}
}

// A window that shows a restricted mode must not run a turn in another one.
func TestSetMode_InOneWindow_AppliesToTheOther(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w, bellcord.TextDelta{Text: "ran in " + w.Session.Mode + " with " + w.Session.Model})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		other := e.window(agent)
		e.request("session/set_mode", obj{"sessionId": e.session, "modeId": "read-only"})
		other.await("the mode", func(f frame) bool {
			u, _ := f.Params["update"].(obj)
			return u["sessionUpdate"] == "current_mode_update" && u["currentModeId"] == "read-only"
		})
		other.await("the option mode", func(f frame) bool {
			u, _ := f.Params["update"].(obj)
			if u["sessionUpdate"] != "config_option_update" {
				return false
			}
			if mode := u["configOptions"].([]any)[0].(obj)["currentValue"]; mode != "read-only" {
				t.Errorf("the other window shows the option mode as %v", mode)
			}
			return true
		})
		other.ends(other.prompt("go"), "end_turn")
		other.shown("ran in read-only with fake/one")
		e.request("session/set_config_option", obj{"sessionId": e.session, "configId": "model", "value": "fake/two"})
		other.ends(other.prompt("again"), "end_turn")
		other.shown("ran in read-only with fake/two")
	})
}

// A question is open in every window, also in one that is opened later. The
// first answer closes it in the others.
func TestQuestion_InTwoWindows_IsAnsweredInEitherAndWithdrawnInTheOther(t *testing.T) {
	t.Parallel()
	for _, answers := range []string{"first window", "second window", "window that is opened later"} {
		t.Run(answers, func(t *testing.T) {
			t.Parallel()
			edit(t, requestPermission, nil, func(t *testing.T, e *editor) {
				var other *editor
				if answers != "window that is opened later" {
					other = e.window(requestPermission)
				}
				turn := e.prompt("go")
				here, _ := e.calls("session/request_permission")
				if other == nil {
					other = e.window(requestPermission)
				}
				there, _ := other.calls("session/request_permission")
				by, dialog, late, unanswered := other, there, e, here
				if answers == "first window" {
					by, dialog, late, unanswered = e, here, other, there
				}
				by.reply(dialog, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}})
				e.ends(turn, "end_turn")
				e.shown("chosen: allow")
				other.shown("chosen: allow")
				withdrawn, _ := late.calls("$/cancel_request")
				if text(withdrawn.Params["requestId"]) != text(unanswered.ID) {
					t.Errorf("withdrew %v, want %v", withdrawn.Params, unanswered.ID)
				}
			})
		})
	}
}

// A window that cannot ask must not answer the question of another window's turn.
func TestQuestion_OtherWindowCannotAsk_StaysOpenInTheFirst(t *testing.T) {
	t.Parallel()
	accepted := obj{"action": "accept", "content": obj{"env": "dev"}}
	for _, c := range []struct {
		method string
		agent  script
		answer obj
		want   string
	}{
		{"session/request_permission", requestPermission, obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}, "chosen: allow"},
		{"elicitation/create", askForm(whereForm), accepted, `chosen: {"choice":"accept","values":{"env":"dev"}}`},
	} {
		t.Run(c.method, func(t *testing.T) {
			t.Parallel()
			edit(t, c.agent, nil, func(t *testing.T, e *editor) {
				e.offers(obj{"form": obj{}})
				other := e.window(c.agent)
				if c.method == "elicitation/create" {
					other.offers(obj{"form": obj{}})
				}
				turn := e.prompt("go")
				here, _ := e.calls(c.method)
				there, _ := other.calls(c.method)
				other.reply(there, obj{"error": obj{"code": -32601, "message": "no such method"}})
				<-time.After(11 * time.Second) // the first window polls every 10 s
				e.reply(here, obj{"result": c.answer})
				e.ends(turn, "end_turn")
				if got := e.answerText(); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestStopCommand_NothingRuns_ReportsIt(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(_ *testing.T, e *editor) {
		e.ends(e.prompt("/stop"), "end_turn")
		e.shown(`"Nothing is running."`)
	})
}
