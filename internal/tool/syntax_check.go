package tool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/syntax"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/proc"
)

const (
	checkTime    = 5 * time.Second // the limit of a syntaxChecker
	mostChecked  = 1 << 20         // bytes of a file that is checked
	mostProblems = 5               // in a result
)

// syntaxChecker checks files after a change. nil checks nothing.
type syntaxChecker struct {
	keeper *proc.Keeper // nil: only checks without a program
	env    secret.Environment
	limit  time.Duration // for all checks of a call
}

// changedFile is the text of a file before and after a change.
type changedFile struct{ name, before, after string }

// check adds the new syntax errors of changed files to the result of a call. The
// change is not undone. A stop ends the check, and the result stays: the files
// are changed.
func (c *syntaxChecker) check(ctx context.Context, call Call, result Result, files ...changedFile) Result {
	if c == nil {
		return result
	}
	limited, done := context.WithTimeout(ctx, c.limit)
	defer done()
	var out strings.Builder
	for _, f := range files {
		if len(f.before) > mostChecked || len(f.after) > mostChecked || limited.Err() != nil {
			continue
		}
		problems, processes := c.problems(limited, call, f)
		if processes != nil {
			result.Processes = processes
		}
		for i, p := range problems {
			if i == mostProblems {
				fmt.Fprintf(&out, "and %d more\n", len(problems)-i)
				break
			}
			fmt.Fprintf(&out, "%s:%d: %s\n", workspace.Shown(f.name), p.Line, workspace.Plain(workspace.CutLine(p.Text, mostWide)))
		}
	}
	if out.Len() > 0 {
		note := "[the file was changed, and has new syntax errors:]\n" + out.String()
		result.Text = strings.TrimSuffix(result.Text, "\n") + "\n" + note
		if call.Output != nil { // a front that shows the changes does not show the result
			call.Output(note)
		}
	}
	return result
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
		path, err := exec.LookPath(program.Args[0])
		if err != nil || c.keeper == nil {
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
