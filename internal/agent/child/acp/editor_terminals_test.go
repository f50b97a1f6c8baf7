package acp_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// withEditor makes the commands of the stage's agent run in terminals of an
// editor.
func withEditor(t *testing.T, run func(context.Context, tool.EditorCommand) (tool.EditorExit, error)) *stage {
	t.Helper()
	s := onStage(t, "")
	s.editor = run
	s.session = s.newSession("full")
	return s
}

// Not parallel: it sets an environment variable.
func TestEditorTerminal_Command_RunsInTheEditor(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "secret")
	var got tool.EditorCommand
	s := withEditor(t, func(_ context.Context, c tool.EditorCommand) (tool.EditorExit, error) {
		got = c
		c.Opened("editor-7")
		c.Output("shown by the editor")
		return tool.EditorExit{Code: 4, Output: "shown by the editor"}, nil
	})
	answer, r := s.run("run make all")
	if r.End != bellcord.EndDone || r.Calls.Finished != 1 || len(r.Processes.Ended) != 0 {
		t.Errorf("%s (%s), calls %+v, processes %+v", r.End, r.Error, r.Calls, r.Processes)
	}
	for _, want := range []string{`"exitCode":4`, "shown by the editor", "no such terminal"} {
		if !strings.Contains(answer, want) {
			t.Errorf("%s is missing in %s", want, answer)
		}
	}
	if value, set := got.Env["GITHUB_TOKEN"]; !set || value != "" || !slices.Contains(got.Args, "make all") || got.Dir != s.session.Dir {
		t.Errorf("args %q in %s, variables %v", got.Args, got.Dir, slices.Sorted(maps.Keys(got.Env)))
	}
}

func TestEditorTerminal_EditorOpensNone_CommandIsNotStarted(t *testing.T) {
	t.Parallel()
	s := withEditor(t, func(context.Context, tool.EditorCommand) (tool.EditorExit, error) {
		return tool.EditorExit{}, tool.ErrEditorNotRun
	})
	answer, r := s.run("run make")
	if r.End != bellcord.EndDone || len(r.Calls.NotStarted) != 1 || !strings.Contains(answer, "did not open a terminal") {
		t.Errorf("%s (%s), calls %+v, said %s", r.End, r.Error, r.Calls, answer)
	}
	for _, b := range s.events(r.Turn) {
		const want = "[not started: the editor did not open a terminal]"
		if end, is := b.(bellcord.ToolCallEnded); is && (!end.Failed || end.Result != want) {
			t.Errorf("the call ended with %+v", end)
		}
	}
}

func TestLaw15_StopDuringEditorTerminal_ReceiptHasTheEditorsReport(t *testing.T) {
	t.Parallel()
	for name, exit := range map[string]tool.EditorExit{
		"confirmed":   {Code: -1, Stopped: true},
		"unconfirmed": {Code: -1, Stopped: true, Unconfirmed: "it did not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withEditor(t, func(ctx context.Context, c tool.EditorCommand) (tool.EditorExit, error) {
				c.Opened("editor-7")
				c.Output("up\n")
				<-ctx.Done()
				return exit, nil
			})
			turn := s.prompt(bellcord.Prompt{Text: "stream terminal"})
			s.until(func(b bellcord.Body) bool {
				_, is := b.(bellcord.ToolOutputDelta)
				return is
			})
			r, took := s.stop(turn)
			if r.End != bellcord.EndStopped || r.AgentAbandoned {
				t.Errorf("%s (%s) after %s, abandoned %v", r.End, r.Error, took, r.AgentAbandoned)
			}
			switch exit.Unconfirmed {
			case "":
				if len(r.Processes.Ended) != 1 || r.Processes.Proof != "editor_reported" || len(r.Calls.Stopped) != 1 || len(r.Processes.Unconfirmed) != 0 {
					t.Errorf("processes %+v, calls %+v", r.Processes, r.Calls)
				}
			default:
				if len(r.Processes.Unconfirmed) != 1 || len(r.Processes.Ended) != 0 || len(r.Calls.Unknown) != 1 {
					t.Errorf("processes %+v, calls %+v", r.Processes, r.Calls)
				}
			}
		})
	}
}
