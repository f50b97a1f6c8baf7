package tool_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestGlob_Pattern_FindsMatchingNames(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{
		"main.go": "", "main_test.go": "", "README.md": "", ".hidden.go": "", "a/b/c/d.go": "", "a/b/e.ts": "", "a/b/e.tsx": "",
		"a/x.go": "", "b/a/b/y.go": "", ".git/config.go": "", "sub/.git/z.go": "", "ü/日.go": "", "[x].go": "", "link.go": "->main.go", "round": "->.",
	})
	tests := []struct {
		name, pattern, path, want string
	}{
		{"in the directory itself", "*.go", "", ".hidden.go [x].go link.go main.go main_test.go"},
		{"anywhere, links and hidden files too, but nothing in .git", "**/*.go", "", ".hidden.go [x].go a/b/c/d.go a/x.go b/a/b/y.go link.go main.go main_test.go ü/日.go"},
		{"one level down", "*/*.go", "", "a/x.go ü/日.go"},
		{"below a directory", "a/**/*.go", "", "a/b/c/d.go a/x.go"},
		{"everything below a directory, which ends in a slash if it is one", "a/**", "", "a/b/ a/b/c/ a/b/c/d.go a/b/e.ts a/b/e.tsx a/x.go"},
		{"between any directories", "**/b/**/d.go", "", "a/b/c/d.go"},
		{"where going back is needed", "**/a/b/*.go", "", "b/a/b/y.go"},
		{"with two in a row", "a/**/**/d.go", "", "a/b/c/d.go"},
		{"directories", "**/c", "", "a/b/c/"},
		{"one character", "a/?.go", "", "a/x.go"},
		{"one of several characters", "a/[x-z].go", "", "a/x.go"},
		{"a character that means something else", `\[x\].go`, "", "[x].go"},
		{"either of two", "**/*.{ts,tsx}", "", "a/b/e.ts a/b/e.tsx"},
		{"either of two, each with others", "{a/{b,z}/*.ts,main.go}", "", "a/b/e.ts main.go"},
		{"characters of every length", "ü/?.go", "", "ü/日.go"},
		{"relative to a path", "b/*.ts", "a", "a/b/e.ts"},
		{"relative to an absolute path", "*.ts", "DIR/a/b", "a/b/e.ts"},
		{"the long way", "./a//b/e.ts", "", "a/b/e.ts"},
		{"nothing", "*.rs", "", "[no matches]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := use(t, t.Context(), tool.Glob(), dir, fields{"pattern": test.pattern, "path": strings.ReplaceAll(test.path, "DIR", dir)})
			lines := strings.Split(strings.TrimSpace(result.Text), "\n")
			slices.Sort(lines) // links have other times
			if got := strings.Join(lines, " "); result.Failed || got != test.want {
				t.Errorf("%s", got)
			}
		})
	}
	for path, says := range map[string]string{"main.go": "is not a directory", "none": "no such file"} {
		if got := use(t, t.Context(), tool.Glob(), dir, fields{"pattern": "*", "path": path}); !got.Failed || !strings.Contains(got.Text, says) {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestCheck_InvalidArguments_FailsBeforeAnyEffect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   tool.Tool
		args string
		says string
	}{
		{"a write without a path", tool.WriteFile(), `{"content":""}`, "path is missing"},
		{"a write without a content", tool.WriteFile(), `{"path":"a"}`, "content is missing"},
		{"a write with more", tool.WriteFile(), `{"path":"a","content":"","mode":7}`, "unknown field"},
		{"an edit without a path", tool.EditFile(), `{"old":"a","new":"b"}`, "path is missing"},
		{"an edit of nothing", tool.EditFile(), `{"path":"a","new":"b"}`, "old is missing"},
		{"an edit without a new text", tool.EditFile(), `{"path":"a","old":"b"}`, "new is missing"},
		{"an edit that changes nothing", tool.EditFile(), `{"path":"a","old":"b","new":"b"}`, "the same"},
		{"a listing of less than a level", tool.ListDir(), `{"depth":-1}`, "depth"},
		{"a glob without a pattern", tool.Glob(), `{}`, "pattern is missing"},
		{"a glob with a broken pattern", tool.Glob(), `{"pattern":"[a"}`, "not a valid pattern"},
		{"a glob with a bracket across a slash", tool.Glob(), `{"pattern":"[a/b]"}`, "not a valid pattern"},
		{"a glob that goes up", tool.Glob(), `{"pattern":"../*"}`, "not a valid pattern"},
		{"a glob without a name", tool.Glob(), `{"pattern":"/etc/"}`, "pattern is missing"},
		{"a glob that multiplies", tool.Glob(), `{"pattern":"` + strings.Repeat("{a,b}", 12) + `"}`, "too many"},
		{"a search without a pattern", tool.Grep(), `{}`, "pattern is missing"},
		{"a search for no expression", tool.Grep(), `{"pattern":"(?=a)"}`, "RE2"},
		{"a search with a broken glob", tool.Grep(), `{"pattern":"a","glob":"["}`, "not a valid pattern"},
		{"a search with too much context", tool.Grep(), `{"pattern":"a","context":11}`, "context"},
		{"a search for too many", tool.Grep(), `{"pattern":"a","max":201}`, "max"},
		{"a page without a URL", tool.Fetch(tool.FetchOptions{}), `{}`, "url is missing"},
		{"a page that is a file", tool.Fetch(tool.FetchOptions{}), `{"url":"file:///etc/passwd"}`, "not an http or https URL"},
		{"a page without a host", tool.Fetch(tool.FetchOptions{}), `{"url":"http:///x"}`, "not an http or https URL"},
		{"a page with a password", tool.Fetch(tool.FetchOptions{}), `{"url":"http://a:b@example.org"}`, "password"},
		{"a page that is too large", tool.Fetch(tool.FetchOptions{}), `{"url":"http://example.org","max_bytes":99999999}`, "max_bytes"},
		{"half a call", tool.Fetch(tool.FetchOptions{}), `{"url":"http://example.org"`, "unexpected EOF"},
	}
	for _, test := range tests {
		if err := test.of.Check(json.RawMessage(test.args)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
		dir := lay(t, nil)
		result := test.of.Run(t.Context(), tool.Call{Dir: dir, Args: json.RawMessage(test.args)})
		if !result.Failed || everything(t, filepath.Dir(dir)) != "elsewhere elsewhere/key.txt work" {
			t.Errorf("%s: %+v", test.name, result)
		}
	}
}
