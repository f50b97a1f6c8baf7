package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSession_CwdIsNotADirectory_IsRefused(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(t *testing.T, e *editor) {
		file := filepath.Join(e.dir, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for cwd, why := range map[string]string{
			"relative": "not an absolute path", "": "not an absolute path",
			filepath.Join(e.dir, "missing"): "does not exist", file: "not a directory",
		} {
			for _, method := range []string{"session/new", "session/load", "session/resume"} {
				f := e.request(method, obj{"sessionId": e.session, "cwd": cwd, "mcpServers": []any{}})
				if f.Error == nil || f.Error.Code != -32602 || !strings.Contains(f.Error.Message, why) {
					t.Errorf("%s in %q: %+v %v, want %q", method, cwd, f.Error, f.Result, why)
				}
				f = e.request(method, obj{"sessionId": e.session, "cwd": e.dir, "additionalDirectories": []string{e.dir, cwd}, "mcpServers": []any{}})
				if f.Error == nil || f.Error.Code != -32602 || !strings.Contains(f.Error.Message, why) {
					t.Errorf("%s also in %q: %+v %v, want %q", method, cwd, f.Error, f.Result, why)
				}
			}
		}
	})
}
