package acp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// raw runs a turn in which the agent sends the updates.
func (s *stage) raw(updates string) []bellcord.Body {
	s.t.Helper()
	turn := s.prompt(bellcord.Prompt{Text: "raw " + updates})
	if r := s.settled(turn); r.End != bellcord.EndDone {
		s.t.Fatalf("%s: %s", r.End, r.Error)
	}
	return s.events(turn.ID)
}

// only returns the bodies of one type.
func only[B bellcord.Body](bodies []bellcord.Body) (found []B) {
	for _, b := range bodies {
		if one, is := b.(B); is {
			found = append(found, one)
		}
	}
	return found
}

func TestTurn_CallWithDiffLocationsAndMeta_IsRecordedCompletely(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	got := s.raw(`[
		{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"edit","status":"pending","content":[]},
		{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit a.go","locations":[{"path":"/w/a.go","line":3}],"_meta":{"x":{"toolName":"Edit"}},
			"content":[{"type":"diff","path":"/w/a.go","oldText":"a","newText":"b","_meta":{"k":1}},{"type":"content","content":{"type":"image","mimeType":"image/png","data":"AA=="}}]},
		{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":{"ok":true}}
	]`)
	calls := only[bellcord.ToolCallRequested](got)
	if len(calls) != 1 || calls[0].Title != "Edit" || string(calls[0].Arguments) != "{}" {
		t.Fatalf("calls %+v", calls)
	}
	for _, u := range only[bellcord.ToolCallUpdated](got) {
		u.Apply(&calls[0])
	}
	old := "a"
	want := bellcord.CallView{
		Locations: []bellcord.Location{{Path: "/w/a.go", Line: 3}},
		Content: []bellcord.CallContent{
			{Change: &bellcord.Change{Path: "/w/a.go", Old: &old, New: "b"}, Meta: json.RawMessage(`{"k":1}`)},
			{Block: json.RawMessage(`{"content":{"data":"AA==","mimeType":"image/png","type":"image"},"type":"content"}`)},
		},
		Meta: json.RawMessage(`{"x":{"toolName":"Edit"}}`),
	}
	if calls[0].Title != "Edit a.go" || !reflect.DeepEqual(calls[0].CallView, want) {
		t.Errorf("%q\n got %+v\nwant %+v", calls[0].Title, calls[0].CallView, want)
	}
	if end := only[bellcord.ToolCallEnded](got); len(end) != 1 || string(end[0].RawOutput) != `{"ok":true}` || end[0].Result != "[changes /w/a.go]" {
		t.Errorf("end %+v", end)
	}
	if end := only[bellcord.StepEnded](got); len(end) != 1 || string(end[0].AgentReply) != `{"_meta":{"m":1},"usage":{"inputTokens":5,"outputTokens":2,"totalTokens":7}}` {
		t.Errorf("reply %s", end[0].AgentReply)
	}
}

func TestTurn_OutputOfADisplayedTerminal_IsRecordedAsOutput(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	got := s.raw(`[
		{"sessionUpdate":"tool_call","toolCallId":"c","title":"ls","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"t"}],"_meta":{"terminal_info":{"terminal_id":"t","cwd":"/w"}}},
		{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t","data":"one\n"}}},
		{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output_delta":{"terminal_id":"t","data":"two\n"}}},
		{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","_meta":{"terminal_exit":{"terminal_id":"t","exit_code":0}}}
	]`)
	output := ""
	for _, o := range only[bellcord.ToolOutputDelta](got) {
		output += o.Text
	}
	if output != "one\ntwo\n" {
		t.Errorf("output %q", output)
	}
	call := only[bellcord.ToolCallRequested](got)[0]
	if len(call.Content) != 1 || call.Content[0].Terminal != "t" || string(call.Meta) != `{"terminal_info":{"cwd":"/w","terminal_id":"t"}}` {
		t.Errorf("call %+v", call)
	}
	if updates := only[bellcord.ToolCallUpdated](got); len(updates) != 2 || string(updates[0].Meta) != `{"terminal_output_delta":{}}` || !strings.Contains(string(updates[1].Meta), "terminal_exit") {
		t.Errorf("updates %+v", updates)
	}
}

func TestTurn_MessagesUsageAndUnknownUpdates_AreRecorded(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	got := s.raw(`[
		{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"a"}},
		{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"b"},"_meta":{"p":1}},
		{"sessionUpdate":"agent_thought_chunk","messageId":"m3","content":{"type":"text","text":"c"}},
		{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"AA=="}},
		{"sessionUpdate":"usage_update","used":5,"size":200,"cost":{"amount":0.5,"currency":"credits"}},
		{"sessionUpdate":"usage_update","used":5,"size":200,"cost":{"amount":0.5,"currency":"credits"}},
		{"sessionUpdate":"compaction_update","compactionId":"k","status":"completed"},
		{"sessionUpdate":"notice","severity":"warning","title":"overloaded"}
	]`)
	texts := only[bellcord.TextDelta](got)
	want := []bellcord.TextDelta{{Text: "a", Message: "m1"}, {Text: "b", Message: "m2", Meta: json.RawMessage(`{"p":1}`)}}
	if !reflect.DeepEqual(texts, want) {
		t.Errorf("texts %+v", texts)
	}
	if thoughts := only[bellcord.ThinkingDelta](got); len(thoughts) != 1 || thoughts[0].Message != "m3" {
		t.Errorf("thoughts %+v", thoughts)
	}
	usage := only[bellcord.UsageReported](got)
	if len(usage) != 1 || usage[0].Context.SizeTokens != 200 || usage[0].Context.Cost == nil || *usage[0].Context.Cost != (bellcord.Money{Amount: 0.5, Currency: "credits"}) {
		t.Errorf("usage %+v", usage)
	}
	var raw []string
	for _, u := range only[bellcord.AgentUpdate](got) {
		raw = append(raw, string(u.Update))
	}
	if len(raw) != 2 || !strings.Contains(raw[0], "image/png") || !strings.Contains(raw[1], "compaction_update") {
		t.Errorf("updates %q: want the image and the compaction, and not the notice, which is never recorded", raw)
	}
}

func TestTurn_PromptWithBlocks_ReachesTheAgentAsComposed(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{
		Text: "say x", Images: []bellcord.Image{{Type: "image/png", Data: []byte{1}}}, Links: []bellcord.Link{{Name: "a", URI: "file:///a"}},
		Blocks: []bellcord.Block{
			{Type: "text", Text: "say x", Meta: json.RawMessage(`{"annotations":{"priority":1}}`)},
			{Type: "link", Number: 1, Meta: json.RawMessage(`{"size":5}`)},
			{Type: "image", Number: 1},
			{Type: "resource", Content: json.RawMessage(`{"type":"resource","resource":{"uri":"file:///b","text":"b"}}`)},
		},
	})
	if r := s.settled(turn); r.End != bellcord.EndDone {
		t.Fatalf("%s: %s", r.End, r.Error)
	}
	received, err := os.ReadFile(filepath.Join(s.memory, "received"))
	if err != nil {
		t.Fatal(err)
	}
	want := `"prompt":[{"annotations":{"priority":1},"text":"say x","type":"text"},{"name":"a","size":5,"type":"resource_link","uri":"file:///a"},` +
		`{"type":"image","mimeType":"image/png","data":"AQ=="},{"type":"resource","resource":{"uri":"file:///b","text":"b"}}]`
	if !strings.Contains(string(received), want) {
		t.Errorf("the agent received\n%s\nwant\n%s", received, want)
	}
}

func TestTurn_AttachedFile_IsAResourceOrText(t *testing.T) {
	t.Parallel()
	for manner, want := range map[string]string{
		"":         `"prompt":[{"type":"text","text":"say x"},{"type":"resource","resource":{"uri":"attachment:///my%20notes.txt","mimeType":"text/plain","text":"one\ntwo"}}]`,
		"textonly": `"prompt":[{"type":"text","text":"say x\n\nmy notes.txt:\n` + "````" + `\none\ntwo\n` + "````" + `"}]`,
	} {
		s := onStage(t, manner)
		turn := s.prompt(bellcord.Prompt{Text: "say x", Files: []bellcord.File{{Name: "my notes.txt", Text: "one\ntwo"}}})
		if r := s.settled(turn); r.End != bellcord.EndDone {
			t.Fatalf("%s: %s", r.End, r.Error)
		}
		received, err := os.ReadFile(filepath.Join(s.memory, "received"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(received), want) {
			t.Errorf("%q: the agent received\n%s\nwant\n%s", manner, received, want)
		}
	}
}

func TestPermission_LocationTakenBack_IsStillChecked(t *testing.T) {
	t.Parallel()
	s := onStage(t, "", "write_file(secret.txt)")
	turn := s.prompt(bellcord.Prompt{Text: "relocate " + filepath.Join(s.session.Dir, "secret.txt")})
	if r := s.settled(turn); r.End != bellcord.EndDone {
		t.Fatalf("%s: %s", r.End, r.Error)
	}
	if got := s.textOf(turn.ID); !strings.Contains(got, `"n"`) {
		t.Errorf("the agent received %s, want the option that rejects", got)
	}
}

func TestTurn_ChunkWithoutTextButWithMeta_IsRecordedAsItIs(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	got := only[bellcord.AgentUpdate](s.raw(`[{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":5}}}]`))
	if len(got) != 1 || !strings.Contains(string(got[0].Update), `"inputTokens":5`) {
		t.Errorf("%+v", got)
	}
}

func TestTurn_ArgumentsReportedAfterTheCall_AreRecordedAlsoIfEmpty(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	got := s.raw(`[
		{"sessionUpdate":"tool_call","toolCallId":"late","title":"ping"},
		{"sessionUpdate":"tool_call_update","toolCallId":"late","rawInput":{}},
		{"sessionUpdate":"tool_call_update","toolCallId":"late","status":"completed","rawInput":{}},
		{"sessionUpdate":"tool_call","toolCallId":"full","title":"ls","rawInput":{"command":"ls"}},
		{"sessionUpdate":"tool_call_update","toolCallId":"full","status":"completed","rawInput":{}},
		{"sessionUpdate":"tool_call","toolCallId":"empty","title":"ping","rawInput":{},"status":"completed"}
	]`)
	pending := map[string]bool{}
	for _, c := range only[bellcord.ToolCallRequested](got) {
		pending[c.Call] = c.ArgumentsPending
	}
	if want := map[string]bool{"late": true, "full": false, "empty": false}; !reflect.DeepEqual(pending, want) {
		t.Errorf("arguments are pending for %v, want %v", pending, want)
	}
	updates := only[bellcord.ToolCallUpdated](got)
	if len(updates) != 1 || updates[0].Call != "late" || string(updates[0].Arguments) != "{}" {
		t.Errorf("updates %+v, want the arguments of the first call, once", updates)
	}
}
