package acp

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Absent, null and empty members must be encoded differently.
func TestMarshal_OptionalMembers_DistinguishAbsentNullAndEmpty(t *testing.T) {
	t.Parallel()
	for want, message := range map[string]any{
		`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""}}}`: SessionNotification{
			SessionID: "s", Update: SessionUpdate{AgentMessageChunk{Content: Text("")}},
		},
		`{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"/a","newText":""}]}}`: SessionNotification{
			SessionID: "s", Update: SessionUpdate{ToolCallUpdate{ToolCallID: "c", Content: []ToolCallContent{Diff("/a", nil, "")}}},
		},
		`{"outcome":{"outcome":"cancelled"}}`:               CancelledPermission(),
		`{"outcome":{"outcome":"selected","optionId":"o"}}`: Selected("o"),
		`{"sessionId":"s","command":"c","args":[]}`:         CreateTerminalRequest{SessionID: "s", Command: "c", Args: []string{}},
		`{"exitCode":0,"signal":null}`:                      TerminalExitStatus{ExitCode: new(0)},
		`{"list":{},"close":{}}`:                            SessionCapabilities{List: true, Close: true},
		`{"used":1,"size":2}`:                               UsageUpdate{Used: 1, Size: 2},
	} {
		if got, err := json.Marshal(message); err != nil || string(got) != want {
			t.Errorf("%T is %s, %v; want %s", message, got, err, want)
		}
	}
}

func TestUnmarshal_Updates_AreDecodedByKind(t *testing.T) {
	t.Parallel()
	for update, want := range map[string]Update{
		`{"sessionUpdate":"user_message_chunk","content":{"type":"resource_link","name":"n","uri":"u","size":5},"messageId":"m"}`: UserMessageChunk{
			Content: Link("n", "u"), MessageID: "m",
		},
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"audio","data":"","mimeType":""}}`: AgentThoughtChunk{Content: ContentBlock{Type: "audio"}},
		`{"sessionUpdate":"agent_message_chunk","content":7}`:                                        AgentMessageChunk{},
		`{"sessionUpdate":"agent_thought_chunk"}`:                                                    AgentThoughtChunk{},
		`{"sessionUpdate":"tool_call","toolCallId":"c","content":null,"_meta":{"a":{"b":"x"}}}`: ToolCall{
			ToolCallID: "c", Meta: Meta{"a": map[string]any{"b": "x"}},
		},
		`{"sessionUpdate":"tool_call_update","content":[{"type":"terminal","terminalId":"t"},{}]}`: ToolCallUpdate{
			Content: []ToolCallContent{{Type: TypeTerminal, TerminalID: "t"}, {}},
		},
		`{"sessionUpdate":"from_the_future","content":5}`:                                               UnknownUpdate("from_the_future"),
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","content":7,"_meta":7}`: ToolCallUpdate{ToolCallID: "c", Status: CallFailed},
		`{"sessionUpdate":"usage_update","used":1,"cost":0.5}`:                                          UsageUpdate{Used: 1},
		`{"content":5}`: UnknownUpdate(""),
		`null`:          UnknownUpdate(""),
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","currentValue":true,"options":{"grouped":1}}]}`: ConfigOptionUpdate{
			[]SessionConfigOption{{ID: "m", CurrentValue: true}},
		},
	} {
		var got SessionUpdate
		if err := json.Unmarshal([]byte(update), &got); err != nil || !reflect.DeepEqual(got.Value, want) {
			t.Errorf("%s is %#v, %v", update, got.Value, err)
		}
	}
	if err := json.Unmarshal([]byte("5"), &SessionUpdate{}); err == nil {
		t.Error("5 is an update")
	}
	if err := json.Unmarshal([]byte(`{"outcome":"selected","optionId":5}`), &RequestPermissionOutcome{}); err == nil {
		t.Error("5 is an option")
	}
}

// Some agents send optional members of the wrong type; the rest of the message
// must still be decoded.
func TestDecode_MemberOfWrongType_IsAbsent(t *testing.T) {
	t.Parallel()
	var r InitializeResponse
	text := `{"protocolVersion":1,"authMethods":"none","agentInfo":{"name":5,"version":"2"},"agentCapabilities":{` +
		`"promptCapabilities":{"image":true},"sessionCapabilities":{"resume":true,"close":false,"list":{},"delete":null}}}`
	if err := Decode([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	want := InitializeResponse{ProtocolVersion: 1, AgentInfo: Implementation{Version: "2"}, AgentCapabilities: AgentCapabilities{
		PromptCapabilities: PromptCapabilities{Image: true}, SessionCapabilities: SessionCapabilities{Resume: true, List: true},
	}}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("read %+v", r)
	}
	for _, broken := range []string{`"yes"`, `{`, ``} {
		if err := Decode([]byte(broken), &r); err == nil || !strings.Contains(err.Error(), "JSON") && !strings.Contains(err.Error(), "json") {
			t.Errorf("%s: %v", broken, err)
		}
	}
}
