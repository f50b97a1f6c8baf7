package pi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// Import implements child.Importer. The id of a session is the path of its file.
func (s *speaker) Import(ctx context.Context, w *hub.Work, own string) error {
	opening, done := context.WithTimeoutCause(ctx, child.StartBound, fmt.Errorf("pi did not load it within %s", child.StartBound)) // for the requests: it does not stop the turn
	defer done()
	if err := s.shakeHands(opening); err != nil {
		return err
	}
	if !isSession(own) {
		return fmt.Errorf("%s is not a session of pi", own)
	}
	if _, err := s.request(opening, "switch_session", map[string]any{"sessionPath": own}); err != nil {
		return err
	}
	now, err := s.readSettings(opening)
	if err != nil {
		return fmt.Errorf("reading pi's session: %w", err)
	}
	if now.SessionFile != own {
		return errors.New("pi did not open the session: an extension may have prevented it")
	}
	data, err := s.request(opening, "get_messages", nil)
	if err != nil {
		return fmt.Errorf("reading the conversation: %w", err)
	}
	for _, m := range dataOf[struct{ Messages []message }](data).Messages {
		for _, body := range imported(m) {
			if err := w.Emit(body); err != nil {
				return err
			}
		}
	}
	s.release()
	return nil
}

// isSession reports whether a file is a session of pi. Some versions of pi
// overwrite any other file when they switch to it.
func isSession(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !filepath.IsAbs(path) || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	first, _ := bufio.NewReader(file).ReadSlice('\n') // a longer line is not a header
	var header struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(first, &header) == nil && header.Type == "session"
}

// imported returns the events of a message in an earlier conversation. Pi sends
// summaries and the output of the user's commands to the model as messages of
// the user.
func imported(m message) []bellcord.Body {
	switch m.Role {
	case "user", "custom":
		return []bellcord.Body{bellcord.MessageImported{Text: m.Content.plainText()}}
	case "branchSummary", "compactionSummary":
		return []bellcord.Body{bellcord.MessageImported{Text: m.Summary}}
	case "bashExecution":
		return []bellcord.Body{bellcord.MessageImported{Text: strings.TrimSpace("$ " + m.Command + "\n" + m.Output)}}
	case "toolResult":
		return []bellcord.Body{bellcord.ToolCallEnded{Call: m.ToolCallID, Outcome: bellcord.CallFinished, Failed: m.IsError, Result: m.Content.plainText()}}
	case "assistant":
		return importedAnswer(m.Content)
	}
	return nil
}

func importedAnswer(blocks content) []bellcord.Body {
	var all []bellcord.Body
	for _, b := range blocks {
		switch b.Type {
		case "thinking":
			all = append(all, bellcord.ThinkingDelta{Text: b.Thinking})
		case "text":
			all = append(all, bellcord.TextDelta{Text: b.Text})
		case "toolCall":
			all = append(all, bellcord.ToolCallRequested{Call: b.ID, Name: b.Name, Arguments: arguments(b.Arguments)}, bellcord.ToolCallStarted{Call: b.ID})
		}
	}
	return all
}
