package tool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/lsp"
	"github.com/bellcord/bellcord/internal/tool/syntax"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/proc"
)

const (
	checkTime    = 5 * time.Second  // the limit of a syntaxChecker
	serverTime   = 10 * time.Second // its limit for language servers
	mostChecked  = 1 << 20          // bytes of a file that is checked
	mostProblems = 5                // in a result
)

// syntaxChecker checks files after a change. nil checks nothing.
type syntaxChecker struct {
	keeper *proc.Keeper // nil: only checks without a program
	env    secret.Environment
	limit  time.Duration // for all checks of a call

	servers     *lsp.Set      // nil: no language servers
	serverLimit time.Duration // for the servers, after the checks
}

// changedFile is the text of a file before and after a change.
type changedFile struct{ name, before, after string }

// check adds the new syntax errors of changed files to the result of a call, and the
// errors that language servers find. The change is not undone. A stop ends the check, and the result stays: the files
// are changed.
func (c *syntaxChecker) check(ctx context.Context, call Call, result Result, files ...changedFile) Result {
	if c == nil {
		return result
	}
	var broken strings.Builder
	var intact []changedFile
	limited, done := context.WithTimeout(ctx, c.limit)
	defer done()
	for _, f := range files {
		if len(f.before) > mostChecked || len(f.after) > mostChecked || limited.Err() != nil {
			continue
		}
		problems, processes := c.problems(limited, call, f)
		if processes != nil {
			result.Processes = processes
		}
		if len(problems) == 0 {
			intact = append(intact, f)
		}
		for i, p := range problems {
			if i == mostProblems {
				fmt.Fprintf(&broken, "and %d more\n", len(problems)-i)
				break
			}
			broken.WriteString(problemLine(f.name, p.Line, p.Text))
		}
	}
	result = withNote(call, result, "[the file was changed, and has new syntax errors:]", broken.String())
	errors, box := c.serverErrors(ctx, call, intact)
	result.Sandbox = result.Sandbox.Weaker(box)
	return withNote(call, result, "[the change causes new errors:]", errors)
}

// withNote adds a note to the result of a call, unless it is empty.
func withNote(call Call, result Result, heading, note string) Result {
	if note == "" {
		return result
	}
	note = heading + "\n" + note
	result.Text = strings.TrimSuffix(result.Text, "\n") + "\n" + note
	if call.Output != nil { // a front that shows the changes does not show the result
		call.Output(note)
	}
	return result
}

func problemLine(name string, line int, text string) string {
	return fmt.Sprintf("%s:%d: %s\n", workspace.Shown(name), line, workspace.Plain(workspace.CutLine(text, mostWide)))
}

// serverErrors returns the new errors that language servers find in files without
// syntax errors, and in other files because of them, and how the servers are confined.
func (c *syntaxChecker) serverErrors(ctx context.Context, call Call, files []changedFile) (string, *bellcord.Sandbox) {
	if c.servers == nil || len(files) == 0 || ctx.Err() != nil {
		return "", nil
	}
	limited, done := context.WithTimeout(ctx, c.serverLimit)
	defer done()
	var changed []lsp.File
	for _, f := range files {
		path := f.name
		if !filepath.IsAbs(path) {
			path = filepath.Join(call.Dir, path)
		}
		changed = append(changed, lsp.File{Path: path, Before: f.before, After: f.after})
	}
	var out strings.Builder
	problems, box := c.servers.NewErrors(limited, call.Dir, changed)
	for i, p := range problems {
		if i == 2*mostProblems {
			fmt.Fprintf(&out, "and %d more\n", len(problems)-i)
			break
		}
		name := p.Path
		if relative, err := filepath.Rel(call.Dir, p.Path); err == nil && filepath.IsLocal(relative) {
			name = relative
		}
		out.WriteString(problemLine(name, p.Line, p.Text))
	}
	return out.String(), box
}

// problems returns the new syntax errors of a file, and the processes that had
// to be ended.
func (c *syntaxChecker) problems(ctx context.Context, call Call, f changedFile) ([]syntax.Problem, *bellcord.Processes) {
	if after, ok := syntax.Check(f.name, f.after); ok {
		if len(after) == 0 || f.before == "" {
			return after, nil
		}
		before, _ := syntax.Check(f.name, f.before)
		return syntax.New(before, after), nil
	}
	for _, program := range syntax.Programs(f.name, f.after) {
		path := programOutside(append([]string{call.Dir}, call.AdditionalDirs...), program.Args[0])
		if path == "" || c.keeper == nil {
			continue
		}
		after, processes, ok := c.run(ctx, call, path, program, f.after)
		if !ok || len(after) == 0 || f.before == "" {
			return after, processes
		}
		before, ended, ok := c.run(ctx, call, path, program, f.before)
		if ended != nil {
			processes = ended
		}
		if !ok { // unknown which errors are new
			return nil, processes
		}
		return syntax.New(before, after), processes
	}
	return nil, nil
}

// programOutside returns the path of the first program with a name in PATH that is
// outside of all directories, or "". The model and a cloned repository can put a
// program into the session's directories, and the check runs without a question.
func programOutside(dirs []string, name string) string {
	inside := func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			_, err := workspace.InRoot(dir, path)
			return err == nil
		})
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil || !filepath.IsAbs(path) || inside(path) {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(path); err == nil && !inside(resolved) {
			return path
		}
	}
	return ""
}

// run passes a text to a program and returns the errors that it reports. It
// returns false if the program did not finish.
func (c *syntaxChecker) run(ctx context.Context, call Call, path string, program syntax.Program, text string) ([]syntax.Problem, *bellcord.Processes, bool) {
	const mostOutput = 16 << 10
	var output strings.Builder
	exit, err := c.keeper.Run(ctx, proc.Command{
		Args: append([]string{path}, program.Args[1:]...), Dir: os.TempDir(), Name: "syntax check with " + filepath.Base(path), Owner: string(call.Turn),
		Env: c.env.Pairs(), Bare: true, Stdin: strings.NewReader(text),
		Output: func(data []byte) {
			if output.Len() < mostOutput {
				output.Write(data)
			}
		},
	}, bellcord.Forced(ctx))
	if err != nil {
		return nil, nil, false
	}
	processes := gone(exit)
	switch {
	case exit.How != proc.Exited:
		return nil, processes, false
	case exit.Code == 0:
		return nil, processes, true
	}
	return program.Report(output.String()), processes, true
}
