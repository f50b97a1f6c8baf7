package upgrade

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/v2"
)

// ToolCall returns an update of a call as that of version 2.
func ToolCall(u acp.ToolCallUpdate) v2.ToolCallUpdate {
	return v2.ToolCallUpdate{
		ToolCallID: u.ToolCallID, Title: u.Title, Name: u.Name, Kind: u.Kind, Status: u.Status, Content: content(u.Content),
		Locations: u.Locations, RawInput: u.RawInput, RawOutput: u.RawOutput, Meta: u.Meta,
	}
}

func content(list []acp.ToolCallContent) []v2.ToolCallContent {
	if list == nil {
		return nil
	}
	all := []v2.ToolCallContent{}
	for _, c := range list {
		one := v2.ToolCallContent{Type: c.Type, TerminalID: c.TerminalID, Meta: c.Meta}
		switch {
		case c.Type == acp.TypeDiff && c.NewText != nil:
			one.Changes, one.Patch = []v2.DiffChange{change(c)}, &v2.DiffPatch{Format: v2.FormatGitPatch, Text: Patch(c.Path, c.OldText, *c.NewText)}
		case c.Type == acp.TypeContent && c.Content != nil:
			one.Content = acp.Encode(c.Content)
		case c.Type == "": // a hosted agent's: a content block
			if json.Unmarshal(acp.Encode(c), &one) != nil {
				continue
			}
		}
		all = append(all, one)
	}
	return all
}

func change(c acp.ToolCallContent) v2.DiffChange {
	if c.OldText == nil {
		return v2.DiffChange{Operation: v2.OperationAdd, Path: c.Path}
	}
	return v2.DiffChange{Operation: v2.OperationModify, Path: c.Path}
}

// Permission returns a request for permission as that of version 2.
func Permission(p acp.RequestPermissionRequest) v2.RequestPermissionRequest {
	title, description, _ := strings.Cut(p.ToolCall.Title, "\n")
	if title == "" {
		title = "Permission required"
	}
	return v2.RequestPermissionRequest{
		SessionID: p.SessionID, Title: title, Description: description, Options: p.Options, Meta: p.Meta,
		Subject: v2.RequestPermissionSubject{Type: v2.SubjectToolCall, ToolCall: ToolCall(p.ToolCall)},
	}
}
