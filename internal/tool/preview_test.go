package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

func TestPreview_WriteAndEdit_ShowFileBeforeAndAfter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old.txt"), []byte("saved"), 0o600); err != nil {
		t.Fatal(err)
	}
	editor := tool.EditorTools{
		Read:  func(context.Context, string, int, int) (string, error) { return "unsaved", nil },
		Write: func(context.Context, string, string) error { return nil },
	}
	saved, unsaved := "saved", "unsaved"
	for name, c := range map[string]struct {
		tool tool.Tool
		args string
		want bellcord.Change
	}{
		"a file that exists":       {tool.WriteFile(), `{"path":"old.txt","content":"new"}`, bellcord.Change{Path: filepath.Join(dir, "old.txt"), Old: &saved, New: "new"}},
		"a new file":               {tool.WriteFile(), `{"path":"sub/n.txt","content":"new"}`, bellcord.Change{Path: filepath.Join(dir, "sub", "n.txt"), New: "new"}},
		"a part of a file":         {tool.EditFile(), `{"path":"old.txt","old":"a","new":"b"}`, bellcord.Change{Path: filepath.Join(dir, "old.txt"), Old: &saved, New: "sbved"}},
		"a buffer in the editor's": {editor.Tools([]tool.Tool{tool.WriteFile()})[0], `{"path":"old.txt","content":"new"}`, bellcord.Change{Path: filepath.Join(dir, "old.txt"), Old: &unsaved, New: "new"}},
	} {
		changes := c.tool.Previewed(t.Context(), dir, json.RawMessage(c.args))
		if len(changes) != 1 || changes[0].Path != c.want.Path || changes[0].New != c.want.New ||
			(changes[0].Old == nil) != (c.want.Old == nil) || c.want.Old != nil && *changes[0].Old != *c.want.Old {
			t.Errorf("%s: got %+v, want %+v", name, changes, c.want)
		}
	}
	if outside := tool.WriteFile().Previewed(t.Context(), dir, json.RawMessage(`{"path":"../x","content":""}`)); outside != nil {
		t.Errorf("outside of the directory: %+v", outside)
	}
}
