package react

import (
	_ "embed" // the template
	"runtime"
	"strings"

	"github.com/bellcord/bellcord"
)

//go:embed system.tmpl
var ownTemplate string

// facts is the data for the system prompt's template. It does not change during
// a session, unless instruction files are edited, so that a model's prompt
// cache stays valid.
type facts struct {
	Dir          string
	Additional   []string // other directories that file tools may access
	System       string   // the operating system
	Git          bool     // the directory is in a repository
	Started      string   // the day on which the session started
	Mode         string   // the permission mode of the session's first turn
	Sandboxed    bool     // commands run in a sandbox
	Instructions []instruction
}

// systemPrompt returns the system prompt, and the instruction files that are not in
// it although they exist.
func (a *Agent) systemPrompt(s bellcord.Session) (prompt string, ignored []instruction, err error) {
	text := a.System
	if text == "" {
		text = ownTemplate
	}
	above, git := a.upwards(s.Dir)
	f := facts{Dir: s.Dir, Additional: s.AdditionalDirs, System: runtime.GOOS, Git: git, Started: s.Created.Format("2006-01-02"), Mode: a.firstMode(s), Sandboxed: a.Sandboxed != nil && a.Sandboxed()}
	var all []instruction
	for _, path := range a.Instructions {
		text, err := readOwn(path)
		if err != nil {
			return "", nil, err
		}
		all = append(all, instruction{Path: path, Text: text})
	}
	for _, one := range append(all, above...) {
		switch {
		case one.ignored != nil:
			ignored = append(ignored, one)
		case one.Text != "":
			f.Instructions = append(f.Instructions, one)
		}
	}
	filled, err := fill(text, f.data())
	return strings.TrimSpace(filled), ignored, err
}

// data returns the facts as fill reads them.
func (f facts) data() map[string]any {
	additional, instructions := []any{}, []any{}
	for _, dir := range f.Additional {
		additional = append(additional, dir)
	}
	for _, one := range f.Instructions {
		instructions = append(instructions, map[string]any{"Path": one.Path, "Text": one.Text})
	}
	return map[string]any{
		"Dir": f.Dir, "Additional": additional, "System": f.System, "Git": f.Git, "Started": f.Started, "Mode": f.Mode,
		"Sandboxed": f.Sandboxed, "Instructions": instructions,
	}
}
