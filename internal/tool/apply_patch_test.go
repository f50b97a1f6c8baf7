package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

func patch(lines ...string) fields {
	return fields{"patch": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}
}

var fourFiles = []string{
	"*** Add File: new/a", "+x", "*** Update File: b", "@@", " one", "-two", "+2",
	"*** Delete File: c", "*** Update File: d", "*** Move to: moved/d", "@@", "-d", "+D",
}

func TestApplyPatch_SeveralFiles_AreChanged(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"b": "one\r\ntwo\r\n", "c": "c\n", "d": "d\n"})
	if err := os.Chmod(filepath.Join(dir, "b"), 0o640); err != nil {
		t.Fatal(err)
	}
	r := use(t, t.Context(), tool.ApplyPatch(), dir, patch(fourFiles...))
	if r.Failed || !strings.HasPrefix(r.Text, "A new/a\nM b\nD c\nA moved/d\nD d\nb\n@@ line 2 @@\n") {
		t.Errorf("%+v", r)
	}
	if all := everything(t, dir); all != "b moved moved/d new new/a" || content(t, dir, "b") != "one\r\n2\r\n" || content(t, dir, "moved/d") != "D\n" {
		t.Errorf("%s, %q", all, content(t, dir, "b"))
	}
	if info, err := os.Stat(filepath.Join(dir, "b")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestApplyPatch_OnePartDoesNotFit_ChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		last []string
		says string
	}{
		{[]string{"*** Update File: d", "@@", "-x", "+y"}, "d: chunk 1 of 1 (line 11 of the patch): the old text is not in the file"},
		{[]string{"*** Update File: none", "@@", "-x", "+y"}, "none: no such file"},
		{[]string{"*** Delete File: sub"}, "sub is a directory"},
		{[]string{"*** Delete File: ../x"}, "../x is outside the working directory"},
		{[]string{"*** Update File: d", "*** Move to: e", "@@", "-d", "+y"}, "d: cannot move it to e: that file exists"},
	} {
		dir := lay(t, files{"b": "one\ntwo\n", "c": "c\n", "d": "d\n", "e": "e\n", "sub/": ""})
		r := use(t, t.Context(), tool.ApplyPatch(), dir, patch(append(fourFiles[:8:8], c.last...)...))
		if !r.Failed || !strings.Contains(r.Text, c.says) {
			t.Errorf("%q: %+v", c.says, r)
		}
		if all := everything(t, dir); all != "b c d e sub" || content(t, dir, "b") != "one\ntwo\n" {
			t.Errorf("%q: %s", c.says, all)
		}
	}
}

func TestApplyPatch_InvalidPatch_IsRefusedBeforeAnyQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args fields
		says string
	}{
		{patch(append(fourFiles[:8:8], "*** Update File: ./b", "@@", "-one", "+1")...), "the patch names ./b twice"},
		{patch("*** Add File: e", "+// ... rest unchanged ..."), "is a placeholder"},
		{fields{"patch": " "}, "patch is missing"},
		{fields{"patch": "*** Begin Patch\n*** Delete File: a\n"}, "it was cut off"},
	} {
		args, _ := json.Marshal(c.args)
		if err := tool.ApplyPatch().Check(args); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// A stop between two files leaves every file whole, and the result lists both
// kinds.
func TestApplyPatch_StoppedAnywhere_ListsChangedAndUnchangedFiles(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for cut := 1; ; cut++ {
		dir := lay(t, files{"b": "one\ntwo\n", "c": "c\n", "d": "d\n"})
		r := use(t, &cutAt{Context: t.Context(), reads: cut}, tool.ApplyPatch(), dir, patch(fourFiles...))
		if r.Fate == bellcord.CallFinished {
			break
		}
		if r.Fate != bellcord.CallStopped || strings.Contains(everything(t, dir), ".bellcord-") {
			t.Fatalf("%+v, %s", r, everything(t, dir))
		}
		changed, unchanged, listed := strings.Cut(r.Text, "Not changed:\n")
		seen[unchanged] = true
		if !listed {
			if !strings.Contains(r.Text, "no file is changed") || everything(t, dir) != "b c d" {
				t.Errorf("%+v, %s", r, everything(t, dir))
			}
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "c")); (err != nil) != strings.Contains(changed, "D c\n") {
			t.Errorf("%v, but %s", err, r.Text)
		}
		if (content(t, dir, "b") == "one\n2\n") != strings.Contains(changed, "M b\n") {
			t.Errorf("b is %q, but %s", content(t, dir, "b"), r.Text)
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %d different results", len(seen))
	}
}

func TestApplyPatch_Rules_ApplyToEveryFile(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"docs/a": "a\n", "docs/b": "b\n", "x": "x\n"})
	policy, err := permit.NewPolicy([]string{"edit_file(docs/*)", "write_file(docs/*)"}, []string{"edit_file(secret*)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	update := func(path string) []string { return []string{"*** Update File: " + path, "@@", "-a", "+b"} }
	for _, c := range []struct {
		name string
		body []string
		mode permit.Mode
		want permit.Verdict
	}{
		{"both allowed", append(update("docs/a"), "*** Delete File: docs/b"), permit.Ask, permit.Allow},
		{"one not allowed", append(update("docs/a"), "*** Delete File: x"), permit.Ask, permit.Put},
		{"moved out", []string{"*** Update File: docs/a", "*** Move to: y", "@@", "-a", "+b"}, permit.Ask, permit.Put},
		{"one denied", append(update("docs/a"), update("secret")...), permit.Full, permit.Deny},
		{"one denied, spelled differently", append(update("docs/a"), update("docs/../secret")...), permit.Full, permit.Deny},
		{"a denied file deleted", []string{"*** Delete File: secret"}, permit.Full, permit.Deny},
		{"read-only", update("x"), permit.ReadOnly, permit.Deny},
		{"auto-edit", update("x"), permit.AutoEdit, permit.Allow},
		{"auto-edit of a hidden file", append(update("x"), "*** Add File: .git/hooks/x", "+x"), permit.AutoEdit, permit.Put},
	} {
		args, _ := json.Marshal(patch(c.body...))
		call := tool.ApplyPatch().Permission(dir, args)
		if d := policy.Decide(permit.Session{ID: "s"}, c.mode, call); d.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, d, c.want)
		}
	}
	args, _ := json.Marshal(patch(update("x")...))
	call := tool.ApplyPatch().Permission(dir, args)
	if err := policy.Grant(permit.Session{ID: "s"}, call, false); err != nil {
		t.Fatal(err)
	}
	if d := policy.Decide(permit.Session{ID: "s"}, permit.Ask, call); d.Verdict != permit.Allow {
		t.Errorf("a granted patch: %+v", d)
	}
}

func TestApplyPatch_Question_ShowsEveryChange(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"b": "one\ntwo\n", "c": "c\n", "d": "d\n"})
	args, _ := json.Marshal(patch(fourFiles...))
	if asked := tool.ApplyPatch().Question(args); !strings.HasPrefix(asked, "Apply a patch to new/a, b, c, d, moved/d?\n*** Begin Patch\n") {
		t.Errorf("asked %q", asked)
	}
	var all []string
	for _, c := range tool.ApplyPatch().Previewed(t.Context(), dir, args) {
		old := "(none)"
		if c.Old != nil {
			old = *c.Old
		}
		rel, _ := filepath.Rel(dir, c.Path)
		all = append(all, filepath.ToSlash(rel)+": "+old+"->"+c.New)
	}
	if got := strings.Join(all, "|"); got != "new/a: (none)->x\n|b: one\ntwo\n->one\n2\n|c: c\n->|moved/d: (none)->D\n|d: d\n->" {
		t.Errorf("%q", got)
	}
}

func TestOffered_ModelFamily_GetsOneEditingTool(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"gpt-5.1-codex": "apply_patch", "openai/gpt-5": "apply_patch", "gpt-4.1-mini": "apply_patch", "codex-mini-latest": "apply_patch",
		"claude-sonnet-4-5": "edit_file", "gpt-4o": "edit_file", "gemini-2.5-pro": "edit_file", "gpt-oss-120b": "edit_file", "fake": "edit_file",
	} {
		var got []string
		for _, of := range tool.Offered(tool.Builtin(nil, nil), model) {
			if of.Name == "apply_patch" || of.Name == "edit_file" {
				got = append(got, of.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}

func TestApplyPatch_InEditor_UsesItsBuffers(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"b": "saved\n", "c": "c\n"})
	buffers := map[string]string{filepath.Join(dir, "b"): "unsaved\n", filepath.Join(dir, "c"): "c\n"}
	editor := tool.EditorTools{
		Read: func(_ context.Context, path string, _, _ int) (string, error) {
			if text, ok := buffers[path]; ok {
				return text, nil
			}
			return "", os.ErrNotExist
		},
		Write: func(_ context.Context, path, text string) error { buffers[path] = text; return nil },
	}
	of := editor.Tools([]tool.Tool{tool.ApplyPatch()})[0]
	r := use(t, t.Context(), of, dir, patch("*** Update File: b", "@@", "-unsaved", "+patched", "*** Add File: n", "+n", "*** Delete File: c"))
	if r.Failed || buffers[filepath.Join(dir, "b")] != "patched\n" || buffers[filepath.Join(dir, "n")] != "n\n" || everything(t, dir) != "b" {
		t.Errorf("%+v, %q, %s", r, buffers, everything(t, dir))
	}
}
