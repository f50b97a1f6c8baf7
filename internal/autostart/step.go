package autostart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/durable"
)

// Step is one change, with its text for a dry run.
type Step struct {
	text string
	do   func(context.Context) error
}

// Text returns the text of the step, including everything that would be
// written.
func (s Step) Text() string { return s.text }

// writeStep writes a file durably.
func writeStep(path, text string) Step {
	return Step{
		text: fmt.Sprintf("# would be written: %s\n%s", path, text),
		do: func(context.Context) error {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // managers read there, and it has no secret
				return err
			}
			return durable.ReplaceMode(path, []byte(text), 0o644)
		},
	}
}

// makeKeys creates the file for keys. An existing file is not changed. dir is
// the mode of its directory: it may contain a configuration that others must
// read.
func makeKeys(path string, dir fs.FileMode) Step {
	return Step{
		text: fmt.Sprintf("# would be created unless it exists, empty and for its owner only: %s\n", path),
		do: func(context.Context) error {
			if err := os.MkdirAll(filepath.Dir(path), dir); err != nil {
				return err
			}
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return nil
			} else if err != nil {
				return err
			}
			return file.Close()
		},
	}
}

func remove(path string) Step {
	return Step{
		text: fmt.Sprintf("# would be removed: %s\n", path),
		do:   func(context.Context) error { return os.Remove(path) },
	}
}

// keep renames a file that this package did not write.
func keep(path string) Step {
	return Step{
		text: fmt.Sprintf("# would be renamed to %s.old: %s\n", path, path),
		do:   func(context.Context) error { return os.Rename(path, path+".old") },
	}
}

// runStep runs a command. If it fails, the error contains its output.
func runStep(argv ...string) Step {
	return Step{
		text: "# would be run: " + shown(argv) + "\n",
		do: func(ctx context.Context) error {
			output, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%s: %w: %s", shown(argv), err, strings.TrimSpace(string(output)))
			}
			return nil
		},
	}
}

// given runs a step only if the query has the expected answer.
func given(condition query, want bool, s Step) Step {
	when := "if this succeeds"
	if !want {
		when = "unless this succeeds"
	}
	return Step{
		text: strings.TrimSuffix(s.text, "\n") + fmt.Sprintf(" (%s: %s)\n", when, condition.text),
		do: func(ctx context.Context) error {
			is, _, err := condition.run(ctx)
			if err != nil || is != want {
				return err
			}
			return s.do(ctx)
		},
	}
}

// query is a query to a service manager.
type query struct {
	text string
	run  func(context.Context) (yes bool, words string, err error)
}

// commandQuery runs a command. The answer is yes if the first line of its output is
// one of yes; without any, if the command succeeds.
func commandQuery(argv []string, yes ...string) query {
	return query{text: shown(argv), run: func(ctx context.Context) (bool, string, error) {
		output, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return false, "", err
		}
		word, _, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
		if len(yes) == 0 {
			return err == nil, word, nil
		}
		for _, y := range yes {
			if word == y {
				return true, word, nil
			}
		}
		return false, word, nil
	}}
}

// finds runs a command. The answer is yes if line is one of the lines of its
// output.
func finds(argv []string, line string) query {
	return query{text: shown(argv), run: func(ctx context.Context) (bool, string, error) {
		output, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return false, "", err
		}
		for text := range strings.Lines(string(output)) {
			if strings.TrimSpace(text) == line {
				return true, line, nil
			}
		}
		return false, "not " + strings.TrimPrefix(line, "state = "), nil
	}}
}

// shown returns a command in the syntax of a shell.
func shown(argv []string) string {
	all := make([]string, len(argv))
	for i, word := range argv {
		all[i] = word
		if word == "" || strings.ContainsAny(word, " '\"$\\()*;&|<>`") {
			all[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(all, " ")
}
