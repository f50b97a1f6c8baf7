package acp_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

func TestSetting_Changed_SendsModeAndOptionUpdates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method string
		params obj
		want   []string
	}{
		{
			"the mode, the old way", "session/set_mode",
			obj{"modeId": "full"},
			[]string{"current_mode_update full", "config_option_update full fake/one"},
		},
		{
			"the mode, the new way", "session/set_config_option",
			obj{"configId": "mode", "value": "full"},
			[]string{"current_mode_update full", "config_option_update full fake/one"},
		},
		{
			"the model", "session/set_config_option",
			obj{"configId": "model", "value": "fake/two"},
			[]string{"config_option_update ask fake/two"},
		},
		{
			"the mode, by a command", "session/prompt",
			obj{"prompt": []obj{{"type": "text", "text": "/mode full"}}},
			[]string{"agent_message_chunk \"model fake/one, mode full\"", "current_mode_update full", "config_option_update full fake/one"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			edit(t, waits, nil, func(t *testing.T, e *editor) {
				synctest.Wait()
				from := e.count()
				test.params["sessionId"] = e.session
				f := e.request(test.method, test.params)
				if f.Error != nil {
					t.Fatalf("%+v", f.Error)
				}
				if options, present := f.Result["configOptions"].([]any); strings.HasSuffix(test.method, "option") && (!present || len(options) != 2) {
					t.Errorf("answered %v, want the complete list", f.Result)
				}
				synctest.Wait()
				if got := e.since(from); !reflect.DeepEqual(got, test.want) {
					t.Errorf("told %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestSetMode_TurnRuns_TurnKeepsItsSettings(t *testing.T) {
	t.Parallel()
	still := make(chan string, 1)
	agent := func(ctx context.Context, w *hub.Work) error {
		if err := all(ctx, w, bellcord.TextDelta{Text: "began in " + w.Session.Mode}); err != nil || w.Session.Mode == "full" {
			return err
		}
		<-ctx.Done()
		still <- w.Session.Mode
		return context.Cause(ctx)
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		id := e.prompt("one")
		e.shown("began in ask")
		e.request("session/set_mode", obj{"sessionId": e.session, "modeId": "full"})
		e.notify("session/cancel", e.here())
		e.ends(id, "cancelled")
		if mode := <-still; mode != "ask" {
			t.Errorf("the turn went on in %s", mode)
		}
		e.ends(e.prompt("two"), "end_turn")
		e.shown("began in full")
	})
}

func TestStopReason_TurnEnd_MapsToProtocol(t *testing.T) {
	t.Parallel()
	ends := func(finish bellcord.Finish) script {
		return func(ctx context.Context, w *hub.Work) error {
			return all(ctx, w, bellcord.StepStarted{}, bellcord.StepEnded{Finish: finish})
		}
	}
	steps := func(ctx context.Context, w *hub.Work) error {
		for {
			if err := w.Step(ctx, bellcord.StepStarted{}); err != nil {
				return err
			}
			if err := all(ctx, w, called("c", "shell", `{}`), bellcord.StepEnded{Finish: "tool_calls", Usage: &bellcord.Usage{InputTokens: 60}}); err != nil {
				return err
			}
		}
	}
	tests := []struct {
		name   string
		agent  script
		limits bellcord.Prompt
		want   string
	}{
		{"a normal end", ends("stop"), bellcord.Prompt{}, "end_turn"},
		{"an agent that does not say", ends(""), bellcord.Prompt{}, "end_turn"},
		{"an answer that was too long", ends("max_output"), bellcord.Prompt{}, "max_tokens"},
		{"an answer that was withheld", ends("refused"), bellcord.Prompt{}, "refusal"},
		{"too many steps", steps, bellcord.Prompt{MaxSteps: 3}, "max_turn_requests"},
		{"too many tokens", steps, bellcord.Prompt{MaxTokens: 100}, "max_tokens"},
		{"too much time", waits, bellcord.Prompt{Deadline: 1}, "cancelled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			edit(t, test.agent, func(c *acp.Config) { c.Prompt = test.limits }, func(_ *testing.T, e *editor) {
				e.ends(e.prompt("go"), test.want)
			})
		})
	}
}
