package react

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const (
	mostNested    = 16 << 10 // bytes of one nested instruction file
	mostNestedSum = 64 << 10 // bytes of all of them in a conversation

	// nestedNote begins the note with nested instructions. The file follows it.
	nestedNote = "[Bellcord: instructions for the directory of "
)

// foreign are directories whose instruction files do not belong to the project.
var foreign = []string{".git", "node_modules", "vendor"}

// nested is an instruction file below one of the session's directories.
type nested struct {
	root string // the session's directory
	path string // relative to root
	name string // as the model can use it: relative to the working directory, or absolute
}

// touch notes the file that a successful call has read or changed.
func (j *job) touch(c call) {
	if c.tool.Path == "" {
		return
	}
	var args map[string]any
	if json.Unmarshal(c.Arguments, &args) != nil {
		return
	}
	if path, is := args[c.tool.Path].(string); is && path != "" {
		j.touched = append(j.touched, path)
	}
}

// instruct adds the instructions of the directories in which the last calls
// read or changed a file, each once in a conversation. Those of the session's
// own directory are in the system prompt.
func (j *job) instruct(ctx context.Context) error {
	var files []nested
	for _, path := range j.touched {
		for _, f := range j.instructionsFor(path) {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	j.touched = nil
	if len(files) == 0 {
		return nil
	}
	messages, err := j.w.History(ctx)
	if err != nil {
		return err
	}
	sum, present := nestedIn(messages)
	for _, f := range files {
		// A call that has succeeded must not fail because of its instructions.
		text, _ := readIn(workspace.Dirs{Dir: f.root, Private: j.Private, Held: &j.held}, f.path, mostNested)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if present[f.name] || text == "" || sum+len(text) > mostNestedSum {
			continue
		}
		sum += len(text)
		note := nestedNote + f.name + "]\n<instructions>\n" + text + "\n</instructions>"
		if err := j.w.Emit(bellcord.ContextAdded{Reason: "instructions", Path: f.name, Text: note}); err != nil {
			return err
		}
	}
	return nil
}

// nestedIn returns the files whose instructions a conversation contains, and
// their size. A compaction removes them, so they are added again when needed.
func nestedIn(messages []bellcord.Message) (sum int, present map[string]bool) {
	present = map[string]bool{}
	for _, m := range messages {
		if rest, is := strings.CutPrefix(m.Text, nestedNote); is && m.Role == bellcord.RoleUser {
			name, text, _ := strings.Cut(rest, "]\n")
			present[name] = true
			sum += len(text)
		}
	}
	return sum, present
}

// instructionsFor returns the instruction files that apply to a file, the
// outermost first.
func (j *job) instructionsFor(path string) []nested {
	s := j.w.Session
	dir, rel, err := workspace.Dirs{Dir: s.Dir, Additional: s.AdditionalDirs}.Locate(path)
	if err != nil {
		return nil
	}
	return j.instructionsBelow(dir, rel, dir == s.Dir)
}

// instructionsBelow returns the instruction files in the directories from root
// to a file. It omits those of root itself if it is the working directory, and
// the file if it is one of them.
func (j *job) instructionsBelow(root, file string, working bool) []nested {
	in, err := j.held.Open(root) // links cannot lead outside
	if err != nil {
		return nil
	}
	defer func() { _ = in.Close() }()
	if info, err := in.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var dirs []string
	for dir := filepath.Dir(file); dir != "."; dir = filepath.Dir(dir) {
		if slices.Contains(foreign, filepath.Base(dir)) {
			dirs = nil // nothing below it belongs to the project
			continue
		}
		dirs = append([]string{dir}, dirs...)
	}
	if !working {
		dirs = append([]string{"."}, dirs...)
	}
	var files []nested
	for _, dir := range dirs {
		for _, name := range instructionNames {
			path := filepath.Join(dir, name)
			opened, err := workspace.OpenInstructions(in, path, j.Private)
			if err != nil {
				continue
			}
			_ = opened.Close() // read later, if the conversation does not have it
			f := nested{root: root, path: path, name: filepath.ToSlash(path)}
			if !working {
				f.name = filepath.ToSlash(filepath.Join(root, path))
			}
			if path != file {
				files = append(files, f)
			}
			break
		}
	}
	return files
}
