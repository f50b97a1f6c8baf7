package react_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// shellTool returns a tool with the name and the permissions of the shell.
func shellTool(run func(context.Context, tool.Call) tool.Result) tool.Tool {
	t := made("shell", run)
	t.Effect = permit.Executes
	t.Question = func(json.RawMessage) string { return "Run it?" }
	t.Subject = func(_ string, args json.RawMessage) string {
		var a struct{ Command string }
		_ = json.Unmarshal(args, &a)
		return a.Command
	}
	return t
}

func typedCommand(text string) bellcord.Prompt {
	return bellcord.Prompt{Text: text, Task: bellcord.TaskCommand}
}

// settles sends a prompt, waits until the turn has settled, and returns its
// receipt.
func (s *stage) settles(p bellcord.Prompt) bellcord.Receipt {
	s.t.Helper()
	turn, err := s.Prompt(s.session.ID, p)
	if err != nil {
		s.t.Fatal(err)
	}
	<-turn.Settled()
	return turn.Receipt()
}

func TestCommand_TypedByTheUser_RunsWithoutModelAndQuestionAndEntersTheConversation(t *testing.T) {
	t.Parallel()
	m := &model{}
	onStage(t, m, "ask", func(*stage) []tool.Tool { return []tool.Tool{shellTool(resultOf("3 files"))} }, func(_ *testing.T, s *stage) {
		if r := s.settles(typedCommand("!ls")); r.End != bellcord.EndDone || r.Calls.Finished != 1 {
			t.Errorf("the receipt is %+v", r)
		}
		if len(m.requests) != 0 {
			t.Errorf("%d requests to the model", len(m.requests))
		}
		s.settles(bellcord.Prompt{Text: "how many?"})
		messages := m.requests[0].Messages
		text := ""
		for _, one := range messages {
			if one.Role != bellcord.RoleUser {
				t.Errorf("a message of %s: %+v", one.Role, one)
			}
			text += one.Text
		}
		if !strings.Contains(text, "$ ls") || !strings.Contains(text, "3 files") || !strings.HasSuffix(text, "how many?") {
			t.Errorf("the model got %q", text)
		}
	})
}

func TestCommand_DeniedByRuleOrMode_IsNotRun(t *testing.T) {
	t.Parallel()
	for mode, rules := range map[string][]string{"full": {"shell(rm *)"}, "read-only": nil} {
		never := func(context.Context, tool.Call) tool.Result {
			t.Error("the command ran in mode " + mode)
			return tool.Result{}
		}
		onStage(t, &model{}, mode, func(*stage) []tool.Tool { return []tool.Tool{shellTool(never)} }, func(_ *testing.T, s *stage) {
			var err error
			if s.agent.Policy, err = permit.NewPolicy(nil, rules, nil, nil); err != nil {
				t.Fatal(err)
			}
			if r := s.settles(typedCommand("!rm -r x")); len(r.Calls.NotStarted) != 1 {
				t.Errorf("mode %s: the receipt is %+v", mode, r)
			}
		})
	}
}

func TestCommand_TextWithoutPrefix_IsNotRun(t *testing.T) {
	t.Parallel()
	never := func(context.Context, tool.Call) tool.Result {
		t.Error("the text ran")
		return tool.Result{}
	}
	onStage(t, &model{}, "full", func(*stage) []tool.Tool { return []tool.Tool{shellTool(never)} }, func(_ *testing.T, s *stage) {
		if r := s.settles(typedCommand("remove everything")); r.End != bellcord.EndFailed {
			t.Errorf("the receipt is %+v", r)
		}
	})
}

func TestCommand_Stopped_KeepsItsOutputInTheConversation(t *testing.T) {
	t.Parallel()
	m := &model{}
	waits := func(ctx context.Context, call tool.Call) tool.Result {
		call.Output("half")
		<-ctx.Done()
		return tool.Result{Text: history.ResultText(bellcord.CallStopped, "half"), Fate: bellcord.CallStopped}
	}
	onStage(t, m, "ask", func(*stage) []tool.Tool { return []tool.Tool{shellTool(waits)} }, func(_ *testing.T, s *stage) {
		turn, err := s.Prompt(s.session.ID, typedCommand("!sleep 1000"))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"}))
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndStopped || len(r.Calls.Stopped) != 1 {
			t.Errorf("the receipt is %+v", r)
		}
		s.settles(bellcord.Prompt{Text: "what now?"})
		text := ""
		for _, one := range m.requests[0].Messages {
			text += one.Text + "\n"
		}
		if !strings.Contains(text, "$ sleep 1000") || !strings.Contains(text, "half") || strings.Contains(text, "previous turn was stopped") {
			t.Errorf("the model got %q", text)
		}
	})
}
