package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestEditFile_EmptyOld_CreatesFileOnlyIfNoneExists(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"full": "x\n", "empty": ""})
	for path, says := range map[string]string{
		"sub/new": "created sub/new (2 bytes)", "empty": "created empty (2 bytes)",
		"full": "error: full: old is empty, and the file is not; to insert text, put a neighboring line into old and new; to replace the whole file, use write_file",
	} {
		if r := use(t, t.Context(), tool.EditFile(), dir, fields{"path": path, "old": "", "new": "a\n"}); r.Text != says {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if content(t, dir, "sub/new") != "a\n" || content(t, dir, "empty") != "a\n" || content(t, dir, "full") != "x\n" {
		t.Error(everything(t, dir))
	}
}

func TestEditFile_MistakenPath_IsRefusedWithTheFileThatItCanMean(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"README.md": "x\n", "m.js": "x\n", "src/f.py": "x\n"})
	for path, says := range map[string]string{
		"/workspace/src/f.py": "error: /workspace/src/f.py is outside the working directory; did you mean src/f.py?",
		"a/README.md":         "error: a/README.md: no such file; to create it, use write_file; did you mean README.md?",
		"M.js":                "error: M.js: no such file; to create it, use write_file; did you mean m.js?",
		"unlike":              "error: unlike: no such file; to create it, use write_file",
	} {
		if r := use(t, t.Context(), tool.EditFile(), dir, fields{"path": path, "old": "x", "new": "y"}); r.Text != says {
			t.Errorf("%s: %+v, want %q", path, r, says)
		}
	}
	if content(t, dir, "README.md")+content(t, dir, "m.js")+content(t, dir, "src/f.py") != "x\nx\nx\n" {
		t.Error("a file that was not named has changed")
	}
}

func TestEditFile_SeveralEdits_ChangeAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": "a\nb\nc\nd\ne\nf\ng\nh\n"})
	edits := func(last string) fields {
		return fields{"path": "f", "edits": []any{fields{"old": "a", "new": "A"}, fields{"old": last, "new": "H"}}}
	}
	r := use(t, t.Context(), tool.EditFile(), dir, edits("nope"))
	if !r.Failed || !strings.Contains(r.Text, "edit 2 of 2: the old text is not in the file") || !strings.Contains(r.Text, "No edit was applied") || content(t, dir, "f") != "a\nb\nc\nd\ne\nf\ng\nh\n" {
		t.Errorf("%+v", r)
	}
	r = use(t, t.Context(), tool.EditFile(), dir, edits("h"))
	if r.Failed || content(t, dir, "f") != "A\nb\nc\nd\ne\nf\ng\nH\n" || !strings.HasPrefix(r.Text, "edited f (2 places)\n") {
		t.Errorf("%+v", r)
	}
	for args, says := range map[string]string{
		`{"path":"f","old":"a","new":"b","edits":[]}`:                        "send either old and new, or edits",
		`{"path":"f","edits":[]}`:                                            "edits is empty",
		`{"path":"f","edits":[{"old":"","new":"b"}]}`:                        "edit 1 of 1: arguments: old is empty",
		`{"path":"f","edits":[{"old":"a","old":"c","new":"b"}]}`:             `duplicate field "old"`,
		`{"path":"f","edits":[{"old":"a","new":"b"},{"old":"a","New":"b"}]}`: `edit 2 of 2: arguments: unknown field "New"; the fields are old, new, all`,
		`{"path":"f","edits":[{"old":"a","new":"# ... rest unchanged"}]}`:    "is a placeholder for omitted text",
	} {
		if err := tool.EditFile().Check(json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
	asked := tool.EditFile().Question(json.RawMessage(`{"path":"f","edits":[{"old":"a","new":"b"},{"old":"c","new":"d","all":true}]}`))
	if asked != "Edit f in 2 places?\n-a\n+b\n[in every place]\n-c\n+d\n" {
		t.Errorf("asked %q", asked)
	}
}

// Models write the list of edits as text, and use the keys of other agents.
func TestUnderstand_EditsWithMistakes_AreRepaired(t *testing.T) {
	t.Parallel()
	u, err := tool.Understand(tool.Builtin(nil, nil), "MultiEdit", `{"file_path":"f","edits":"[{\"old_string\":\"a\",\"new_string\":\"b\",\"replace_all\":\"true\"}]"}`)
	if want := `{"path":"f","edits":[{"old":"a","new":"b","all":true}]}`; err != nil || u.Tool.Name != "edit_file" || string(u.Args) != want {
		t.Errorf("%s %s, %v", u.Tool.Name, u.Args, err)
	}
	if _, err := tool.Understand(tool.Builtin(nil, nil), "edit_file", `{"path":"f","edits":[{"old":"a","before":"x","new":"b"}]}`); err == nil || !strings.Contains(err.Error(), "mean the same") {
		t.Errorf("%v", err)
	}
}

// A question shows the lines that really change.
func TestPreview_EditMatchedByNormalization_ShowsLinesOfTheFile(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": "\ta\n\tb\n"})
	changes := tool.EditFile().Previewed(t.Context(), dir, json.RawMessage(`{"path":"f","old":"    a\n    b\n","new":"    a\n    c\n"}`))
	if len(changes) != 1 || *changes[0].Old != "\ta\n\tb\n" || changes[0].New != "\ta\n\tc\n" || changes[0].Line != 1 {
		t.Errorf("%+v", changes)
	}
}

func TestWriteFile_ExistingFile_KeepsLineEndsAndMark(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"crlf": "\uFEFFa\r\nb\r\n", "lf": "a\n", "placeholder": "x\n"})
	for _, c := range []struct{ path, content, says, want string }{
		{"crlf", "x\ny\n", "replaced crlf (9 bytes, with the file's CRLF line ends, with the file's byte order mark)", "\uFEFFx\r\ny\r\n"},
		{"lf", "x\r\ny\r\n", "replaced lf (6 bytes)", "x\r\ny\r\n"},
		{"placeholder", "y\n// ... rest unchanged ...\n", `error: placeholder: line 2 of the new text, "// ... rest unchanged ...", is a placeholder for omitted text; send the complete text, or change only the lines that differ`, "x\n"},
	} {
		if r := use(t, t.Context(), tool.WriteFile(), dir, fields{"path": c.path, "content": c.content}); r.Text != c.says || content(t, dir, c.path) != c.want {
			t.Errorf("%s: %+v, %q", c.path, r, content(t, dir, c.path))
		}
	}
}

// Files in an editor follow the same rules as files on disk.
func TestEditorTools_EditAndWrite_FollowTheRulesOfTheDisk(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": ""})
	buffers := map[string]string{filepath.Join(dir, "f"): "\ta\r\n\tb\r\n"}
	editor := tool.EditorTools{
		Read: func(_ context.Context, path string, _, _ int) (string, error) {
			text, ok := buffers[path]
			if !ok {
				return "", os.ErrNotExist
			}
			return text, nil
		},
		Write: func(_ context.Context, path, text string) error { buffers[path] = text; return nil },
	}
	tools := editor.Tools([]tool.Tool{tool.EditFile(), tool.WriteFile()})
	edit, write := tools[0], tools[1]
	r := use(t, t.Context(), edit, dir, fields{"path": "f", "old": "  a\n  b\n", "new": "  a\n  c\n"})
	if r.Failed || buffers[filepath.Join(dir, "f")] != "\ta\r\n\tc\r\n" || !strings.Contains(r.Text, "[matched by adjusting the indentation") {
		t.Errorf("%+v, %q", r, buffers)
	}
	if r = use(t, t.Context(), edit, dir, fields{"path": "new", "old": "", "new": "x"}); r.Failed || buffers[filepath.Join(dir, "new")] != "x" {
		t.Errorf("%+v, %q", r, buffers)
	}
	if r = use(t, t.Context(), write, dir, fields{"path": "f", "content": "x\n"}); r.Failed || buffers[filepath.Join(dir, "f")] != "x\r\n" {
		t.Errorf("%+v, %q", r, buffers)
	}
	if r = use(t, t.Context(), write, dir, fields{"path": "f", "content": "... rest unchanged"}); !r.Failed {
		t.Errorf("%+v", r)
	}
}
