package acp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// messages contains the parameters and results that Bellcord sends or reads,
// except those without members.
var messages = []any{
	InitializeRequest{},
	InitializeResponse{},
	AuthenticateRequest{},
	NewSessionRequest{},
	NewSessionResponse{},
	LoadSessionRequest{},
	LoadSessionResponse{},
	ResumeSessionRequest{},
	ResumeSessionResponse{},
	ListSessionsRequest{},
	ListSessionsResponse{},
	CloseSessionRequest{},
	DeleteSessionRequest{},
	SetSessionModeRequest{},
	SetSessionConfigOptionRequest{},
	SetSessionConfigOptionResponse{},
	PromptRequest{},
	PromptResponse{},
	CancelNotification{},
	CancelRequestNotification{},
	SessionNotification{},
	RequestPermissionRequest{},
	RequestPermissionResponse{},
	CreateElicitationRequest{},
	CreateElicitationResponse{},
	CompleteElicitationNotification{},
	ReadTextFileRequest{},
	ReadTextFileResponse{},
	WriteTextFileRequest{},
	CreateTerminalRequest{},
	CreateTerminalResponse{},
	TerminalOutputRequest{},
	TerminalOutputResponse{},
	WaitForTerminalExitRequest{},
	WaitForTerminalExitResponse{},
	KillTerminalRequest{},
	ReleaseTerminalRequest{},
}

func TestTypes_OfficialSchema_MatchDefinitions(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, message := range messages {
		message := reflect.TypeOf(message)
		c.check(message.Name(), message, c.named(message.Name()))
	}
	for _, difference := range c.differences {
		t.Error(difference)
	}
	for _, name := range typeNames(t) {
		if !c.checked[name] && !slices.Contains([]string{"Update", "UnknownUpdate", "RawUpdate", "Meta", "Members", "ErrorCode", "ContentChunk"}, name) {
			t.Errorf("%s is no part of any message", name)
		}
	}
}

// A value with a tag must have all members that the schema requires for that
// tag, even if they are empty, and no others.
func TestConstructors_TaggedValues_HaveTheMembersOfTheirTag(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, test := range []struct {
		definition, tag string
		value           any
	}{
		{"ContentBlock", "type", Text("")},
		{"ContentBlock", "type", Image("image/png", "AA")},
		{"ContentBlock", "type", Link("name", "uri")},
		{"ToolCallContent", "type", TextContent("")},
		{"ToolCallContent", "type", Diff("/path", nil, "")},
		{"ToolCallContent", "type", Diff("/path", new(""), "")},
		{"RequestPermissionOutcome", "outcome", Selected("option").Outcome},
		{"RequestPermissionOutcome", "outcome", CancelledPermission().Outcome},
	} {
		data, err := json.Marshal(test.value)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(data, &members); err != nil {
			t.Fatal(err)
		}
		one := tagged(c.named(test.definition), test.tag)[fmt.Sprint(members[test.tag])]
		if one == nil {
			t.Errorf("%s: the schema has no such tag", data)
			continue
		}
		properties, required, _ := c.members(one)
		for _, name := range required {
			if _, has := members[name]; !has {
				t.Errorf("%s: %s is missing", data, name)
			}
		}
		for name := range members {
			if properties[name] == nil {
				t.Errorf("%s: there is no %s", data, name)
			}
		}
	}
}
