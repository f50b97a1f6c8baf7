package acp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

func TestCommand_TurnRuns_IsAnsweredWithoutATurn(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		running, queued := e.prompt("one"), e.prompt("two")
		e.shown("here: one")
		e.ends(e.prompt("/help"), "end_turn") // at once, while a turn runs
		e.shown("/stop — ")
		e.ends(e.prompt("/model"), "end_turn")
		e.shown("model fake/one, mode ask")
		e.ends(e.prompt("/model fake/three"), "end_turn")
		e.shown(`unknown model \"fake/three\"`)
		if n := len(e.hub.Unsettled()); n != 2 {
			t.Errorf("%d turns", n)
		}
		e.ends(e.prompt("/stop "), "end_turn")
		e.ends(running, "cancelled")
		e.ends(queued, "cancelled")
	})
}

func TestSlash_PathBlankOrDoubledSlash_IsAPrompt(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(_ *testing.T, e *editor) {
		for text, sent := range map[string]string{
			"/etc/passwd is what?": "/etc/passwd is what?", "/ help": "/ help", "please /stop": "please /stop",
			" /stop": " /stop", "//stop": "/stop",
		} {
			e.ends(e.prompt(text), "end_turn")
			e.shown(`"echo: ` + sent + `"`)
		}
	})
}

func TestSlash_UnknownCommand_IsRefusedAndReachesNoModel(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(t *testing.T, e *editor) {
		for text, want := range map[string]string{
			"/sotp":   "unknown command /sotp (did you mean /stop?); to send it as text, write //sotp",
			"/deploy": "unknown command /deploy (see /help); to send it as text, write //deploy",
		} {
			e.ends(e.prompt(text), "end_turn")
			e.shown(want)
		}
		e.ends(e.prompt("/STOP"), "end_turn")
		if shown := e.shownText(); strings.Contains(shown, "echo") {
			t.Errorf("a model was asked: %s", shown)
		}
	})
}

func TestSlash_UnknownCommandInAHostedSession_IsSentToTheAgent(t *testing.T) {
	t.Parallel()
	edit(t, echoes, func(c *acp.Config) { c.Agent = "goose" }, func(t *testing.T, e *editor) {
		e.ends(e.prompt("/deploy now"), "end_turn")
		e.shown("echo: /deploy now")
		e.ends(e.prompt("/stop"), "end_turn")
		if shown := e.shownText(); strings.Contains(shown, "echo: /stop") {
			t.Errorf("the agent was sent the command: %s", shown)
		}
	})
}

func TestCommands_SessionOpened_AllAreAdvertised(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		f, _ := e.await("the commands", func(f frame) bool { return inWords(f) == "available_commands_update" })
		var names []string
		for _, c := range f.Params["update"].(obj)["availableCommands"].([]any) {
			names = append(names, c.(obj)["name"].(string))
		}
		if got := strings.Join(names, " "); got != "help clear compact stop model mode changes undo redo rewind cost" {
			t.Errorf("advertised %s", got)
		}
	})
}

// lingers is an agent that takes five seconds to end.
func lingers(ctx context.Context, w *hub.Work) error {
	err := waits(ctx, w)
	<-time.After(5 * time.Second)
	return err
}

func TestCommand_BehindAPrompt_DoesNotWaitForItsTurn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/help", "/stop", "/model fake/two", "/mode full", "/cost", "/stop\n[a.go](file:///a.go)"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			edit(t, lingers, nil, func(t *testing.T, e *editor) {
				began := time.Now()
				prompt, command := e.newID(), e.newID()
				e.write(line(prompt, "session/prompt", e.saying("one")) + line(command, "session/prompt", e.saying(text)))
				e.ends(command, "end_turn")
				if took := time.Since(began); took != 0 {
					t.Errorf("answered after %v", took)
				}
				e.notify("session/cancel", e.here())
				e.ends(prompt, "cancelled")
			})
		})
	}
}

func TestModelCommand_NameNotOffered_IsCheckedButAnOptionIsRefused(t *testing.T) {
	t.Parallel()
	check := func(c *acp.Config) {
		c.CheckModel = func(name string) error {
			if name != "fake/three" {
				return errors.New("nobody has heard of " + name)
			}
			return nil
		}
	}
	edit(t, waits, check, func(t *testing.T, e *editor) {
		choose := func(model string) frame {
			return e.request("session/set_config_option", obj{"sessionId": e.session, "configId": "model", "value": model})
		}
		if f := choose("fake/three"); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("what is not offered was answered %v %+v", f.Result, f.Error)
		}
		e.ends(e.prompt("/model fake/four"), "end_turn")
		e.shown("nobody has heard of fake/four")
		e.ends(e.prompt("/model fake/three"), "end_turn")
		e.shown("model fake/three, mode ask")
		synctest.Wait()
		e.shown("config_option_update ask fake/three")
		if f := choose("fake/three"); f.Error != nil {
			t.Errorf("what is set cannot be chosen: %+v", f.Error)
		}
		e.ends(e.prompt("/model fake/two"), "end_turn") // offered, so CheckModel is not called
		e.shown("model fake/two, mode ask")
	})
}
