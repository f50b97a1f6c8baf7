package pi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
)

// fileArguments are the arguments of pi's tools read, edit and write.
type fileArguments struct {
	Path   string          `json:"path"`
	Offset int             `json:"offset"` // the first line that is read
	Edits  json.RawMessage `json:"edits"`  // a list, or a string with its JSON
	replacement
}

// replacement is one change of the tool edit: Old occurs once in the file.
type replacement struct {
	Old *string `json:"oldText"`
	New *string `json:"newText"`
}

// viewOf returns the files that a call names, and the changes that it makes to them
// if it succeeds. dir is the directory of the session.
func viewOf(name string, args json.RawMessage, dir string) ([]bellcord.Location, []bellcord.CallContent) {
	if name != "read" && name != "edit" && name != "write" {
		return nil, nil
	}
	var file fileArguments
	_ = json.Unmarshal(args, &file) // a model may send arguments of the wrong type
	path := absolute(file.Path, dir)
	if path == "" {
		return nil, nil
	}
	at := []bellcord.Location{{Path: path}}
	if name == "read" {
		at[0].Line = max(0, file.Offset)
	}
	if name != "edit" {
		return at, nil
	}
	var changes []bellcord.CallContent
	for _, r := range file.replacements() {
		if r.Old != nil && r.New != nil {
			changes = append(changes, bellcord.CallContent{Change: &bellcord.Change{Path: path, Old: r.Old, New: *r.New}})
		}
	}
	return at, changes
}

// replacements returns all changes of the tool edit. A single one can be outside of
// the list.
func (f fileArguments) replacements() []replacement {
	var text string
	var all []replacement
	if json.Unmarshal(f.Edits, &text) == nil {
		f.Edits = json.RawMessage(text)
	}
	_ = json.Unmarshal(f.Edits, &all)
	return append(all, f.replacement)
}

// absolute returns a path as pi resolves it, or "" if it is empty or has no known home.
func absolute(path, dir string) string {
	path = strings.TrimPrefix(path, "@")
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		return filepath.Join(home, path[1:])
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
