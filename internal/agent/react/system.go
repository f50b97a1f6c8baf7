package react

import (
	_ "embed" // the template
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

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

type instruction struct{ Path, Text string }

func (a *Agent) systemPrompt(s bellcord.Session) (string, error) {
	text := a.System
	if text == "" {
		text = ownTemplate
	}
	parsed, err := template.New("system prompt").Parse(text)
	if err != nil {
		return "", err
	}
	above, git := upwards(s.Dir)
	f := facts{Dir: s.Dir, Additional: s.AdditionalDirs, System: runtime.GOOS, Git: git, Started: s.Created.Format("2006-01-02"), Mode: a.firstMode(s), Sandboxed: a.Sandboxed != nil && a.Sandboxed()}
	for _, path := range slices.Concat(a.Instructions, above) {
		text, err := readInstruction(path)
		if err != nil {
			return "", err
		}
		if text != "" {
			f.Instructions = append(f.Instructions, instruction{path, text})
		}
	}
	var out strings.Builder
	if err := parsed.Execute(&out, f); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// upwards returns the instruction files of a directory and of its parents up to
// the repository's root, the outermost first. Without a repository it returns
// only the directory's own file. In each directory AGENTS.md takes precedence
// over CLAUDE.md. As in git, the search stops at the directories in
// GIT_CEILING_DIRECTORIES.
func upwards(dir string) (files []string, git bool) {
	own := instructionsIn(dir)
	ceilings := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES"))
	for at := dir; ; at = filepath.Dir(at) {
		if at != dir && slices.Contains(ceilings, at) {
			return own, false
		}
		if at != dir {
			files = append(instructionsIn(at), files...)
		} else {
			files = own
		}
		if isRepository(at) {
			return files, true
		}
		if at == filepath.Dir(at) {
			return own, false
		}
	}
}

// isRepository reports whether a directory is the root of a git repository: its
// .git is a file, or a directory with a HEAD. An empty .git directory is not a
// repository.
func isRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err == nil && info.IsDir() {
		_, err = os.Lstat(filepath.Join(git, "HEAD"))
	}
	return err == nil
}

// instructionNames are the names of instruction files. In a directory, only the
// first that exists counts.
var instructionNames = []string{"AGENTS.md", "CLAUDE.md"}

func instructionsIn(dir string) []string {
	for _, name := range instructionNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return []string{path}
		}
	}
	return nil
}

// mostInstruction is the maximum number of bytes of one file in the system
// prompt.
const mostInstruction = 64 << 10

func readInstruction(path string) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("instructions: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := boundedText(f, mostInstruction)
	if err != nil {
		return "", fmt.Errorf("instructions: %w", err)
	}
	return text, nil
}

// boundedText returns the first most bytes of a file, with a note if there are
// more.
func boundedText(f io.Reader, most int) (string, error) {
	read, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(read[:min(len(read), most)]), ""))
	if len(read) > most {
		text += "\n[the rest of the file is omitted]"
	}
	return text, nil
}
