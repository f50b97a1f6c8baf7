package react

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// instructionNames are the names of instruction files. In a directory, only the
// first that can be used counts.
var instructionNames = []string{"AGENTS.md", "CLAUDE.md"}

// mostInstruction is the maximum number of bytes of one file in the system
// prompt.
const mostInstruction = 64 << 10

// instruction is an instruction file, with its text or the reason why it is not used.
type instruction struct {
	Path, Text string
	ignored    error
}

// upwards returns the instruction files of a directory and of its parents up to
// the repository's root, the outermost first. Without a repository it returns
// only the directory's own file. In each directory AGENTS.md takes precedence
// over CLAUDE.md. As in git, the search stops at the directories in
// GIT_CEILING_DIRECTORIES.
func (a *Agent) upwards(dir string) (files []instruction, git bool) {
	own := a.instructionsIn(dir)
	var ceilings []string
	for _, ceiling := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		ceilings = append(ceilings, realdir.Resolve(ceiling))
	}
	for at := dir; ; at = filepath.Dir(at) {
		if at != dir && slices.Contains(ceilings, at) {
			return own, false
		}
		if at != dir {
			files = append(a.instructionsIn(at), files...)
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

// instructionsIn returns the instruction file of a directory, after those that are
// not used.
func (a *Agent) instructionsIn(dir string) (files []instruction) {
	for _, name := range instructionNames {
		f := instruction{Path: filepath.Join(dir, name)}
		f.Text, f.ignored = readIn(workspace.Dirs{Dir: dir, Private: a.Private}, name, mostInstruction)
		if errors.Is(f.ignored, fs.ErrNotExist) {
			continue
		}
		if files = append(files, f); f.ignored == nil {
			break
		}
	}
	return files
}

// readIn returns the text of an instruction file. Files of Bellcord, and files that a
// link names outside of the directory, are not read.
func readIn(d workspace.Dirs, path string, most int) (string, error) {
	root, rel, err := d.OpenDir(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	f, err := workspace.OpenInstructions(root, rel, d.Private)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	return boundedText(f, most)
}

// readOwn returns the text of the user's instruction file, "" if it does not exist.
func readOwn(path string) (string, error) {
	f, err := os.OpenFile(path, workspace.Reading, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("instructions: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil {
		err = workspace.Regular(path, info)
	}
	text := ""
	if err == nil {
		text, err = boundedText(f, mostInstruction)
	}
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

// noteIgnored adds a note for each instruction file that is not used, once in a
// conversation.
func (j *job) noteIgnored(ctx context.Context) error {
	if len(j.ignored) == 0 {
		return nil
	}
	messages, err := j.w.History(ctx)
	if err != nil {
		return err
	}
	for _, f := range j.ignored {
		note := fmt.Sprintf("[Bellcord: the instructions in %s are not used: %v]", workspace.Shown(f.Path), f.ignored)
		if slices.ContainsFunc(messages, func(m bellcord.Message) bool { return m.Role == bellcord.RoleUser && m.Text == note }) {
			continue
		}
		if err := j.w.Emit(bellcord.ContextAdded{Reason: "instructions", Path: f.Path, Text: note}); err != nil {
			return err
		}
	}
	return nil
}
