package updates

import (
	"encoding/json"
	"path/filepath"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// files returns the file that a call of a built-in tool reads or changes, and
// the change, both taken from its arguments. dir is the session's directory.
// The text that write_file replaces is not among the arguments; a question
// contains it.
func files(dir, tool string, args json.RawMessage) ([]acp.ToolCallLocation, []bellcord.Change) {
	type texts struct{ Old, New *string }
	var a struct {
		Path, Content *string
		texts
		Edits []texts
	}
	if json.Unmarshal(args, &a) != nil || a.Path == nil || *a.Path == "" {
		return nil, nil
	}
	path := filepath.Clean(*a.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !filepath.IsAbs(path) { // dir is empty: the session was closed
		return nil, nil
	}
	at := []acp.ToolCallLocation{{Path: path}}
	switch {
	case tool == "read_file":
		return at, nil
	case tool == "write_file" && a.Content != nil:
		return at, []bellcord.Change{{Path: path, New: *a.Content}}
	case tool == "edit_file":
		var changes []bellcord.Change
		for _, e := range append([]texts{a.texts}, a.Edits...) {
			if e.Old != nil && e.New != nil {
				changes = append(changes, bellcord.Change{Path: path, Old: e.Old, New: *e.New})
			}
		}
		return at, changes
	}
	return nil, nil
}

func diffs(changes []bellcord.Change) (content []acp.ToolCallContent) {
	for _, c := range changes {
		content = append(content, acp.Diff(c.Path, c.Old, c.New))
	}
	return content
}
