package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// The text of the file on disk differs from the editor's buffer.
func TestEditFile_FileOpenInEditor_EditsBuffer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\nsaved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	buffer := "one\nunsaved\n"
	fromEditor := tool.EditorTools{
		Read: func(_ context.Context, path string, _, _ int) (string, error) {
			if path != file {
				return "", errors.New("no such file")
			}
			return buffer, nil
		},
		Write: func(_ context.Context, _, content string) error { buffer = content; return nil },
	}
	edit := fromEditor.Tools([]tool.Tool{tool.EditFile()})[0]
	r := edit.Run(t.Context(), tool.Call{Dir: dir, Args: json.RawMessage(`{"path":"a.txt","old":"unsaved","new":"changed"}`)})
	if r.Failed || buffer != "one\nchanged\n" || !strings.Contains(r.Text, "+2→changed") {
		t.Errorf("buffer %q, result %+v", buffer, r)
	}
	r = edit.Run(t.Context(), tool.Call{Dir: dir, Args: json.RawMessage(`{"path":"a.txt","old":"saved","new":"agent"}`)})
	if !r.Failed || r.Fate != bellcord.CallFinished || buffer != "one\nchanged\n" {
		t.Errorf("the saved text was edited: buffer %q, result %+v", buffer, r)
	}
	if disk, err := os.ReadFile(file); err != nil || string(disk) != "one\nsaved\n" {
		t.Errorf("the file on disk is %q (%v)", disk, err)
	}
}

func TestLaw25_EditFileStoppedWhileEditorWrites_IsUnknown(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	fromEditor := tool.EditorTools{
		Read:  func(context.Context, string, int, int) (string, error) { return "a", nil },
		Write: func(context.Context, string, string) error { stop(); return context.Canceled },
	}
	r := fromEditor.Tools([]tool.Tool{tool.EditFile()})[0].Run(ctx, tool.Call{Dir: t.TempDir(), Args: json.RawMessage(`{"path":"a.txt","old":"a","new":"b"}`)})
	if r.Fate != bellcord.CallUnknown {
		t.Errorf("got %+v, want the fate unknown", r)
	}
}
