package tool

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/proc"
)

// ended returns the result of a command. ctx has ended if the call was stopped.
func (a shellArgs) ended(ctx context.Context, output string, exit proc.Exit) Result {
	if exit.How == proc.Exited {
		return a.exited(output, exit)
	}
	result := finished(output)
	result.Processes = gone(exit)
	switch {
	case ctx.Err() != nil:
		result.Fate = bellcord.CallStopped
		result.Text = history.ResultText(result.Fate, result.Text)
		return result
	case exit.Limit != "":
		result.Text += limitNote(exit.Limit)
	default:
		result.Text += a.timedOut()
	}
	result.Failed = true
	return result
}

// limitNote returns the note about a limit that a command has reached.
func limitNote(limit string) string {
	switch limit {
	case proc.LimitMemory:
		return "\n[the command reached its memory limit (limits.command_memory_percent or limits.command_memory_bytes)]"
	case proc.LimitProcesses:
		return "\n[the command reached its limit of processes (limits.command_processes)]"
	case confine.LimitTmp:
		return "\n[ended: the session's /tmp is full (sandbox.tmp_bytes); remove files from it]"
	case proc.LimitDisk:
		return "\n[ended: the disk was almost full]"
	}
	return "\n[the command reached a limit: " + limit + "]"
}

// exited returns the result of a command that ended by itself, with notes about
// what the model may not expect.
func (a shellArgs) exited(output string, exit proc.Exit) Result {
	result := finished(output)
	result.Processes = gone(exit)
	switch {
	case exit.Code == 1 && a.compares():
		result.Text += "\n[exit code 1: no match, or a difference]"
	case exit.Code != 0:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
	}
	if result.Failed && exit.Limit != "" {
		result.Text += limitNote(exit.Limit)
	}
	if exit.Code == notFound && strings.Contains(a.Command, "apply_patch") {
		result.Text += "\n[apply_patch is a tool and not a program: call it as a tool, or use edit_file]"
	}
	if p := result.Processes; p != nil && len(p.Ended) > 0 {
		left := "1 process that the command left running was"
		if n := len(p.Ended); n > 1 {
			left = fmt.Sprintf("%d processes that the command left running were", n)
		}
		result.Text += fmt.Sprintf("\n[%s ended; set background to keep a command running]", left)
	}
	if transient().MatchString(a.Command) {
		result.Text += "\n[this does not last: every command starts in the working directory with the same environment; set workdir, or use && in one command]"
	}
	return result
}

// notFound is the exit code of a shell for a program that does not exist.
const notFound = 127

// timedOut returns the note about a timeout.
func (a shellArgs) timedOut() string {
	return fmt.Sprintf("\n[ended after %s: timeout; set a longer timeout (at most 3600 seconds) or background if it needs more time. If it waited for input: a command cannot get any]", a.timeout())
}

// transient matches a command that changes only the shell itself.
var transient = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(cd|pushd|export|source|\.|alias|set|unset|ulimit|umask)(\s[^;&|\n]*)?\s*$`)
})

// comparing are the programs whose exit code 1 is a result and no failure.
var comparing = strings.Fields("grep egrep fgrep zgrep rg ag ack diff cmp test [ pgrep")

// compares reports whether the exit code of a command is that of one of
// comparing. It considers only a single pipeline: after && or ; another command
// may have failed.
func (a shellArgs) compares() bool {
	if strings.ContainsAny(a.Command, ";&\n") || strings.Contains(a.Command, "||") {
		return false
	}
	words := strings.Fields(a.Command[strings.LastIndexByte(a.Command, '|')+1:])
	if len(words) > 1 && words[0] == "git" {
		return words[1] == "grep" || words[1] == "diff"
	}
	return len(words) > 0 && slices.Contains(comparing, path.Base(words[0]))
}

// gone returns the processes of a command for the receipt: those that had to be
// ended, survivors, and the proof. It returns nil for a command that simply
// exited.
func gone(exit proc.Exit) *bellcord.Processes {
	p := &bellcord.Processes{Proof: exit.Proof}
	for _, e := range exit.Ended {
		if e.How != proc.Exited {
			p.Ended = append(p.Ended, process(e))
		}
	}
	for _, e := range exit.Survivors {
		p.Survivors = append(p.Survivors, process(e))
	}
	if len(p.Ended)+len(p.Survivors) == 0 {
		return nil
	}
	return p
}

func process(e proc.Ended) bellcord.Process {
	return bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)}
}
