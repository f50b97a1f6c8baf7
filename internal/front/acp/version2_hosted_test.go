package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestHosted_Version2_HasItsCapabilitiesAndSettings(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	edit2(t, waits, g.host, func(t *testing.T, e *editor) {
		hello := e.offer(obj{"auth": obj{"terminal": obj{}}}).Result
		login := hello["authMethods"].([]any)[0].(obj)
		if hello["info"].(obj)["name"] != "guest" || login["methodId"] != "login" || login["type"] != "terminal" || !reflect.DeepEqual(login["args"], []any{"--", "login"}) {
			t.Errorf("initialize returned %v", hello)
		}
		values := func(f frame) (all []string) {
			t.Helper()
			if f.Error != nil {
				t.Fatalf("%+v", f.Error)
			}
			for _, o := range f.Result["configOptions"].([]any) {
				all = append(all, fmt.Sprint(o.(obj)["configId"], "=", o.(obj)["currentValue"]))
			}
			return all
		}
		set := func(id, value string) frame {
			return e.request("session/set_config_option", obj{"sessionId": e.session, "configId": id, "type": "id", "value": value})
		}
		opened := e.request("session/resume", obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []obj{{"type": "stdio", "name": "n", "command": "/c"}}})
		if got := values(opened); !slices.Equal(got, []string{"model=m", "agent_mode=plan", "bellcord_mode=ask"}) {
			t.Errorf("opened with %q", got)
		}
		if got := values(set("agent_mode", "build")); !slices.Equal(got, []string{"model=m", "agent_mode=build", "bellcord_mode=ask"}) {
			t.Errorf("mode set: %q", got)
		}
		if got := values(set("model", "n")); !slices.Equal(got, []string{"model=n", "agent_mode=build", "bellcord_mode=ask"}) {
			t.Errorf("model set: %q", got)
		}
		notes := strings.Join(g.notes(), "\n")
		if !strings.Contains(notes, `session/set_mode in session: true {"sessionId":"`+e.session+`","modeId":"build"}`) || !strings.Contains(notes, `"mcpServers":[{"args":[],"command":"/c","env":[],"name":"n"}]`) {
			t.Errorf("the agent received\n%s", notes)
		}
		synctest.Wait()
		from := e.count()
		g.client.Update(json.RawMessage(`{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`))
		synctest.Wait()
		f := e.all()[from]
		if kindOf(f) != "config_option_update" || !strings.Contains(fmt.Sprint(f.Params), "currentValue:plan") {
			t.Errorf("the agent's change was shown as %v", f.Params)
		}
	})
}

func TestHosted_Version2Turn_ShowsItsUpdates(t *testing.T) {
	t.Parallel()
	old := "a\n"
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w,
			bellcord.TextDelta{Text: "hi", Message: "m1", Meta: json.RawMessage(`{"p":1}`)}, bellcord.TextDelta{Text: "!", Message: "m1"},
			bellcord.ToolCallRequested{Call: "c", Name: "edit", Title: "Edit", Arguments: json.RawMessage(`{}`), CallView: bellcord.CallView{
				Content: []bellcord.CallContent{{Change: &bellcord.Change{Path: "/a", Old: &old, New: "b\n"}}}, Meta: json.RawMessage(`{"q":2}`),
			}},
			bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, RawOutput: json.RawMessage(`{"ok":true}`)},
			bellcord.ToolCallRequested{Call: "d", Name: "bash", Title: "Run", CallView: bellcord.CallView{Content: []bellcord.CallContent{{Terminal: "t", Contained: true}}}},
			bellcord.ToolCallStarted{Call: "d"}, bellcord.ToolOutputDelta{Call: "d", Text: "x"},
			bellcord.ToolCallEnded{Call: "d", Outcome: bellcord.CallFinished, Failed: true, Result: "x"},
			bellcord.PlanUpdated{Entries: []bellcord.PlanEntry{{Text: "one", Status: "pending"}}},
			bellcord.AgentUpdate{Update: json.RawMessage(`{"sessionUpdate":"_guest/score","points":1}`)},
			bellcord.StepEnded{Finish: bellcord.FinishStop, AgentReply: json.RawMessage(`{"_meta":{"m":1}}`)},
		)
	}
	patch := `"changes":[{"operation":"modify","path":"/a"}],"patch":{"format":"git_patch","text":"diff --git /a /a\n--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-a\n+b\n"},"type":"diff"`
	want := []string{
		`{"_meta":{"p":1},"content":[{"text":"hi","type":"text"}],"messageId":"m1","sessionUpdate":"agent_message"}`,
		`{"content":{"text":"!","type":"text"},"messageId":"m1","sessionUpdate":"agent_message_chunk"}`,
		`{"_meta":{"q":2},"content":[{` + patch + `}],"name":"edit","rawInput":{},"sessionUpdate":"tool_call_update","status":"pending","title":"Edit","toolCallId":"c"}`,
		`{"_meta":{"bellcord/outcome":"finished"},"content":[{` + patch + `}],"rawOutput":{"ok":true},"sessionUpdate":"tool_call_update","status":"completed","toolCallId":"c"}`,
		`{"cwd":"DIR","sessionUpdate":"terminal_update","terminalId":"t"}`,
		`{"content":[{"terminalId":"t","type":"terminal"}],"name":"bash","sessionUpdate":"tool_call_update","status":"pending","title":"Run","toolCallId":"d"}`,
		`{"sessionUpdate":"tool_call_update","status":"in_progress","toolCallId":"d"}`,
		`{"data":"eA==","sessionUpdate":"terminal_output_chunk","terminalId":"t"}`,
		`{"exitStatus":{"exitCode":1},"sessionUpdate":"terminal_update","terminalId":"t"}`,
		`{"_meta":{"bellcord/outcome":"finished"},"content":[{"terminalId":"t","type":"terminal"}],"sessionUpdate":"tool_call_update","status":"failed","toolCallId":"d"}`,
		`{"plan":{"entries":[{"content":"one","priority":"medium","status":"pending"}],"planId":"plan","type":"items"},"sessionUpdate":"plan_update"}`,
		`{"points":1,"sessionUpdate":"_guest/score"}`,
	}
	g := &guestAgent{}
	edit2(t, agent, g.host, func(t *testing.T, e *editor) {
		synctest.Wait()
		from := e.count()
		e.inserted(e.prompt("go"))
		at := e.sees(from, "state_update idle end_turn")
		if meta := e.all()[at].Params["update"].(obj)["_meta"].(obj); meta["m"] != 1.0 || meta["bellcord/receipt"] == nil {
			t.Errorf("ended with %v", meta)
		}
		for i := range want {
			want[i] = strings.Replace(want[i], "DIR", e.dir, 1)
		}
		if got := updatesOf(e.all()[from:at]); !reflect.DeepEqual(got[2:], want) {
			t.Errorf("shown\n%s\nwant\n%s", strings.Join(got[2:], "\n"), strings.Join(want, "\n"))
		}
	})
}
