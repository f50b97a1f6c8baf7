package acp

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// shownContent returns the content of a call that is not plain text: changes,
// terminals and, as the agent sent it, everything else. raw is the update.
func shownContent(raw json.RawMessage) []bellcord.CallContent {
	var u struct {
		Content []json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(raw, &u) // the update was decoded before
	shown := []bellcord.CallContent{}
	for _, part := range u.Content {
		var c acp.ToolCallContent
		if acp.Decode(part, &c) != nil {
			continue
		}
		switch {
		case c.Type == acp.TypeDiff && c.NewText != nil:
			change := bellcord.Change{Path: c.Path, Old: c.OldText, New: *c.NewText}
			shown = append(shown, bellcord.CallContent{Change: &change, Meta: c.Meta})
		case c.Type == acp.TypeTerminal && c.TerminalID != "":
			shown = append(shown, bellcord.CallContent{Terminal: c.TerminalID, Meta: c.Meta})
		case c.Type == acp.TypeContent && isPlain(c.Content):
		default:
			shown = append(shown, bellcord.CallContent{Block: validJSON(part)})
		}
	}
	return shown
}

// isPlain reports whether a block is text without annotations.
func isPlain(b *acp.ContentBlock) bool {
	if b == nil {
		return false
	}
	_, plain := plainText(*b)
	return plain
}

// plainText returns the text of a block, and whether the block is text without
// annotations.
func plainText(b acp.ContentBlock) (string, bool) {
	if b.Type != acp.TypeText || b.Text == nil || b.Annotations != nil || b.Meta != nil {
		return "", false
	}
	return *b.Text, true
}

// textOfContent returns the plain text of a call's content.
func textOfContent(content []acp.ToolCallContent) string {
	var parts []string
	for _, c := range content {
		if c.Type == acp.TypeContent && isPlain(c.Content) {
			parts = append(parts, *c.Content.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// terminalData returns the output of a command in _meta, or "".
func terminalData(meta acp.Meta) string {
	for _, name := range []string{acp.TerminalOutputMember, acp.TerminalDeltaMember} {
		of, _ := meta[name].(map[string]any)
		if data, _ := of["data"].(string); data != "" {
			return data
		}
	}
	return ""
}

// shownMeta returns the members of an update's _meta that are recorded, or nil.
// The output of a command is recorded as output.
func shownMeta(raw json.RawMessage) json.RawMessage {
	meta := acp.MembersOf(acp.MembersOf(raw)["_meta"]).Without(acp.TerminalOutputMember)
	if meta[acp.TerminalDeltaMember] != nil {
		meta[acp.TerminalDeltaMember] = json.RawMessage(`{}`) // the name under which the client expects the output
	}
	return meta.JSON()
}
