package tty

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// edited is the input after the user's editor has exited.
type edited struct {
	text string
	err  error
}

// editInput opens a text in the user's editor. The editor has the terminal until
// it exits; the end of the screen's context ends it.
func (s *screen) editInput(text string) tea.Cmd {
	path, err := textFile(text)
	if err != nil {
		return func() tea.Msg { return edited{err: err} }
	}
	args := append(editorCommand(os.Getenv), path)
	cmd := exec.CommandContext(s.ctx, args[0], args[1:]...) //nolint:gosec // the user's own editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return tea.Exec(handover{cmd, s}, func(err error) tea.Msg {
		data, failed := os.ReadFile(path)
		_ = os.Remove(path)
		return edited{strings.TrimRight(string(data), "\n"), errors.Join(err, failed)}
	})
}

// editorCommand returns the user's editor with its arguments.
func editorCommand(env func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(env(name)); len(words) > 0 {
			return words
		}
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"vi"}
}

// textFile writes a text to a new file that only its owner can read.
func textFile(text string) (path string, err error) {
	f, err := os.CreateTemp("", "bellcord-prompt-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), err
}
