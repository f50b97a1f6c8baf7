package v2_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/v2"
)

// validator compiles definitions of the official schema, which it makes
// stricter: messages and updates have no other members than those named.
func validator(t *testing.T) func(definition string) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range doc.(map[string]any)["$defs"].(map[string]any) {
		if _, method := d.(map[string]any)["x-method"]; method || name == "SessionUpdate" {
			d.(map[string]any)["unevaluatedProperties"] = false
		}
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("acp.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(definition string) *jsonschema.Schema {
		return compiler.MustCompile("acp.json#/$defs/" + definition)
	}
}

func TestMessages_OfficialSchema_AreValid(t *testing.T) {
	t.Parallel()
	schema := validator(t)
	block, meta := json.RawMessage(`{"type":"text","text":""}`), json.RawMessage(`{"a":1}`)
	update := func(u v2.Update) v2.UpdateSessionNotification {
		return v2.UpdateSessionNotification{SessionID: "s", Update: v2.SessionUpdate{Value: u}, Meta: acp.Meta{"x": 1}}
	}
	call := v2.ToolCallUpdate{
		ToolCallID: "c", Title: "t", Name: "n", Kind: acp.ToolEdit, Status: v2.CallCancelled, Locations: []acp.ToolCallLocation{{Path: "/a", Line: 1}},
		RawInput: meta, RawOutput: meta, Capabilities: v2.Cancellable(), Meta: acp.Meta{"x": 1},
		Content: []v2.ToolCallContent{
			{Type: acp.TypeContent, Content: block},
			{Type: acp.TypeTerminal, TerminalID: "t"},
			{Type: acp.TypeDiff, Changes: []v2.DiffChange{{Operation: v2.OperationAdd, Path: "/a"}}, Patch: &v2.DiffPatch{Format: v2.FormatGitPatch, Text: "x"}},
		},
	}
	code := 1
	for definition, messages := range map[string][]any{
		"InitializeRequest": {v2.InitializeRequest{ProtocolVersion: 2, Info: acp.Implementation{Name: "n", Version: "1"}, Capabilities: v2.ClientCapabilities{Auth: v2.ClientAuthCapabilities{Terminal: true}, Elicitation: acp.ElicitationCapabilities{Form: true}}}},
		"InitializeResponse": {v2.InitializeResponse{
			ProtocolVersion: 2, Info: acp.Implementation{Name: "n", Version: "1"}, Meta: meta,
			AuthMethods: []v2.AuthMethod{{Type: "agent", MethodID: "m", Name: "n"}, {Type: "terminal", MethodID: "m", Name: "n", Args: []string{"a"}, Env: []acp.EnvVariable{{Name: "A", Value: "B"}}}},
			Capabilities: v2.AgentCapabilities{Session: v2.SessionCapabilities{
				Prompt: v2.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true}, MCP: v2.McpCapabilities{Stdio: true, HTTP: true}, Delete: true, AdditionalDirectories: true,
			}},
		}},
		"ReplayFrom":            {v2.ReplayFrom{Type: v2.ReplayStart}},
		"PromptResponse":        {v2.PromptResponse{MessageID: "m", Meta: acp.Meta{"x": 1}}},
		"CancelToolCallRequest": {v2.CancelToolCallRequest{SessionID: "s", ToolCallID: "c"}},
		"RequestPermissionRequest": {v2.RequestPermissionRequest{
			SessionID: "s", Title: "t", Description: "d", Subject: v2.RequestPermissionSubject{Type: v2.SubjectToolCall, ToolCall: call},
			Options: []acp.PermissionOption{{OptionID: "o", Name: "n", Kind: acp.AllowOnce}},
		}},
		"UpdateSessionNotification": {
			update(v2.UserMessage{MessageID: "m", Content: []json.RawMessage{block}, Meta: meta}), update(v2.AgentMessage{MessageID: "m"}), update(v2.AgentThought{MessageID: "m"}),
			update(v2.UserMessageChunk{MessageID: "m", Content: block}), update(v2.AgentMessageChunk{MessageID: "m", Content: block}), update(v2.AgentThoughtChunk{MessageID: "m", Content: block, Meta: meta}),
			update(v2.SessionInfoUpdate{Title: "t"}), update(v2.UsageUpdate{Used: 1, Size: 2}), update(v2.Notice{Severity: acp.NoticeWarning, Title: "t"}),
			update(v2.CompactionUpdate{CompactionID: "c", Status: acp.CompactionCompleted}),
			update(v2.PlanUpdate{Plan: v2.PlanItems{Type: v2.PlanOfItems, PlanID: "p", Entries: []acp.PlanEntry{{Content: "c", Priority: "low", Status: acp.PlanPending}}}}),
			update(v2.AvailableCommandsUpdate{AvailableCommands: []json.RawMessage{json.RawMessage(`{"type":"command","name":"n","description":"d"}`)}}),
			update(v2.ConfigOptionUpdate{ConfigOptions: []json.RawMessage{}}),
			update(v2.StateUpdate{State: v2.StateRunning, Background: []v2.BackgroundWork{}}), update(v2.StateUpdate{State: v2.StateRequiresAction}),
			update(v2.StateUpdate{State: v2.StateIdle, StopReason: v2.StopError, Error: &v2.Error{Code: 1, Message: "m"}, Background: []v2.BackgroundWork{{Type: v2.BackgroundTerminal, TerminalID: "t"}}, Meta: acp.Meta{"x": 1}}),
			update(call), update(v2.ToolCallUpdate{ToolCallID: "c", Capabilities: json.RawMessage("null")}),
			update(v2.TerminalUpdate{TerminalID: "t", Command: "c", Cwd: "/a", ExitStatus: &v2.TerminalExitStatus{ExitCode: &code, Signal: "SIGKILL"}}),
			update(v2.TerminalOutputChunk{TerminalID: "t", Data: "AA=="}),
		},
	} {
		for _, message := range messages {
			text, err := json.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema(definition).Validate(value); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// The validation must find a member that the schema does not have.
func TestMessages_MemberOutsideTheSchema_IsFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","reason":"x"}}`,
		`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""}}}`,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if validator(t)("UpdateSessionNotification").Validate(value) == nil {
			t.Errorf("%s is valid", text)
		}
	}
}
