package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// calls runs calls of the built-in tools in one session. A call that is refused
// before the question returns the reason.
type calls struct {
	t     *testing.T
	tools []tool.Tool
	s     bellcord.Session
}

func (c calls) run(name string, args fields) string {
	c.t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, of := range c.tools {
		if of.Name != name {
			continue
		}
		if why := of.Refusal(c.t.Context(), c.s, text); why != "" {
			return "refused: " + why
		}
		return of.Run(c.t.Context(), tool.Call{Session: c.s.ID, Dir: c.s.Dir, Args: text}).Text
	}
	c.t.Fatalf("no tool %s", name)
	return ""
}

func TestWriteFile_FileNotReadInSession_IsRefusedBeforeTheQuestion(t *testing.T) {
	t.Parallel()
	resources := &tool.SessionResources{}
	dir := lay(t, files{"old": "12345", "other": "x", "link": "->old", "empty": ""})
	one := calls{t, tool.Builtin(nil, resources), bellcord.Session{ID: "one", Dir: dir}}
	two := calls{t, one.tools, bellcord.Session{ID: "two", Dir: dir}}
	write := func(c calls, path string) string { return c.run("write_file", fields{"path": path, "content": "new"}) }

	refused := "refused: old exists (5 bytes), and this session has not read it; read it with read_file first, then change parts of it or write all of it"
	if got := write(one, "old"); got != refused || content(t, dir, "old") != "12345" {
		t.Errorf("unread: %s", got)
	}
	if got := one.run("apply_patch", patch("*** Add File: old", "+new")); !strings.Contains(got, "refused: old: old exists (5 bytes)") {
		t.Errorf("added by a patch: %s", got)
	}
	one.run("read_file", fields{"path": "missing"})
	one.run("read_file", fields{"path": "link"})
	for path, want := range map[string]string{"old": "replaced old (3 bytes)", "empty": "replaced empty (3 bytes)", "new": "created new (3 bytes)"} {
		if got := write(one, path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := write(one, "new"); got != "replaced new (3 bytes)" {
		t.Errorf("written before: %s", got)
	}
	if got := write(two, "new"); !strings.HasPrefix(got, "refused: new exists (3 bytes)") {
		t.Errorf("in another session: %s", got)
	}
	resources.End("one")
	if got := write(one, "new"); !strings.HasPrefix(got, "refused: ") {
		t.Errorf("after the end of the session: %s", got)
	}
}

func TestWriteFile_FileReadByAMistakenPath_IsReplaced(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"old": "12345"})
	c := calls{t, tool.Builtin(nil, &tool.SessionResources{}), bellcord.Session{ID: "one", Dir: dir}}
	c.run("read_file", fields{"path": "/workspace/old:1"})
	if got := c.run("write_file", fields{"path": "old", "content": "new"}); strings.Contains(got, "refused") {
		t.Errorf("write_file returned %q", got)
	}
}

func TestWriteFile_FileNotReadInEditor_IsRefused(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": "saved"})
	buffer := "unsaved"
	editor := tool.EditorTools{
		Read: func(_ context.Context, path string, _, _ int) (string, error) {
			if path != filepath.Join(dir, "f") {
				return "", os.ErrNotExist
			}
			return buffer, nil
		},
		Write: func(_ context.Context, _, text string) error { buffer = text; return nil },
	}
	c := calls{t, editor.Tools(tool.Builtin(nil, &tool.SessionResources{})), bellcord.Session{ID: "s", Dir: dir}}
	if got := c.run("write_file", fields{"path": "f", "content": "new"}); !strings.HasPrefix(got, "refused: f exists (7 bytes)") || buffer != "unsaved" {
		t.Errorf("%s, %q", got, buffer)
	}
	c.run("read_file", fields{"path": "f"})
	if got := c.run("write_file", fields{"path": "f", "content": "new"}); got != "replaced f (3 bytes)" || buffer != "new" {
		t.Errorf("%s, %q", got, buffer)
	}
}

// Nobody is asked about a patch that does not fit.
func TestApplyPatch_DoesNotFit_IsRefusedBeforeTheQuestion(t *testing.T) {
	t.Parallel()
	c := calls{t, tool.Builtin(nil, &tool.SessionResources{}), bellcord.Session{ID: "s", Dir: lay(t, files{"f": "a\n"})}}
	if got := c.run("apply_patch", patch("*** Update File: f", "@@", "-b", "+c")); !strings.HasPrefix(got, "refused: f: chunk 1 of 1") {
		t.Error(got)
	}
}
