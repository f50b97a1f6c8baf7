package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// A rule that denies read_file keeps the content of a file from every tool, by every
// name of the file.
func TestDenied_ReadFile_NoToolShowsTheContent(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{
		".env": "key=HIDDEN\n", "secret/k": "key=HIDDEN\n", "ok.txt": "key=shown\n",
		"docs/env": "->../.env", "docs/sec": "->../secret", "chain": "->docs/env", "self": "->.", "docs/ok.txt": "key=shown\n",
	})
	other := t.TempDir()
	put(t, filepath.Join(other, ".env"), "key=HIDDEN\n")
	put(t, filepath.Join(other, "deep", "secret.txt"), "key=HIDDEN\n")
	policy, err := permit.NewPolicy(nil, []string{"read_file(.env)", "read_file(secret/*)", "read_file(" + filepath.ToSlash(other) + "/deep/*)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	editor := tool.EditorTools{
		Read: func(_ context.Context, path string, _, _ int) (string, error) {
			text, err := os.ReadFile(path)
			return string(text), err
		},
		Write: func(context.Context, string, string) error { return nil },
	}
	own := tool.KeepOut(workspace.Private{Denies: policy.Denies}, []tool.Tool{tool.ReadFile(), tool.WriteFile(), tool.EditFile(), tool.ApplyPatch(), tool.Grep()})
	for _, set := range [][]tool.Tool{own, append(editor.Tools(own), own[4])} {
		tools := map[string]tool.Tool{}
		for _, one := range set {
			tools[one.Name] = one
		}
		for _, path := range []string{
			".env", "./.env", dir + "/.env", "docs/../.env", "docs/env", "chain", "self/.env", "self/self/.env", "secret/k", "docs/sec/k", ".env:1", "@.env", "/workspace/.env",
			other + "/.env", other + "/deep/secret.txt",
		} {
			for of, args := range map[string]fields{
				"read_file":   {"path": path},
				"grep":        {"path": path, "pattern": "key"},
				"edit_file":   {"path": path, "old": "key=", "new": "key=!"},
				"apply_patch": {"patch": "*** Begin Patch\n*** Update File: " + path + "\n@@\n-key=x\n+key=y\n*** End Patch"},
			} {
				r := use(t, t.Context(), tools[of], dir, args, other)
				if !r.Failed || strings.Contains(r.Text, "HIDDEN") || len(r.Changes) > 0 {
					t.Errorf("%s %s: %+v", of, path, r)
				}
			}
		}
		for _, path := range []string{".", "docs", "docs/sec", "secret", "self", dir, other} {
			r := use(t, t.Context(), tools["grep"], dir, fields{"path": path, "pattern": "key", "include_ignored": true, "context": 3}, other)
			if strings.Contains(r.Text, "HIDDEN") || strings.Contains(r.Text, "match") && !strings.Contains(r.Text, "no matches") {
				t.Errorf("grep in %s: %s", path, r.Text)
			}
			if path == "." && (!strings.Contains(r.Text, "ok.txt:1:key=shown") || !strings.Contains(r.Text, "[unreadable entries: 2; first error: .env: rule read_file(.env) denies it]")) {
				t.Errorf("grep in %s: %s", path, r.Text)
			}
		}
	}
}
