package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/proc"
)

type shellArgs struct {
	Command string `json:"command"`
}

// Shell runs a command in the session's directory, in a process group of its
// own, and asks a person first.
func Shell() Tool {
	return Tool{
		Tool: llm.Tool{
			Name:        "shell",
			Description: "Run a shell command in the working directory and return its output (stdout and stderr together) and exit code. Processes left in the background end with the call.",
			Schema: json.RawMessage(`{"type":"object","required":["command"],"additionalProperties":false,` +
				`"properties":{"command":{"type":"string"}}}`),
		},
		Question: func(args json.RawMessage) string {
			a, _ := parse[shellArgs](args) // checked before
			return "Run `" + a.Command + "`?"
		},
		Check: func(args json.RawMessage) error {
			a, err := parse[shellArgs](args)
			if err == nil && strings.TrimSpace(a.Command) == "" {
				err = errors.New("arguments: command is missing")
			}
			return err
		},
		Run: shell,
	}
}

func shell(ctx context.Context, call Call) Result {
	a, err := parse[shellArgs](call.Args)
	if err != nil {
		return failed(err)
	}
	var out excerpt
	var text utf8Stream
	exit, err := proc.Run(ctx, proc.Command{
		Args:  interpreter(a.Command),
		Dir:   call.Dir,
		Force: bellcord.Forced(ctx),
		Output: func(data []byte) {
			if s := text.next(data); s != "" {
				out.add(s)
				call.Output(s)
			}
		},
	})
	if err != nil {
		return failed(err)
	}
	result := finished(out.String())
	if exit.How != proc.Exited {
		result.Fate = bellcord.CallStopped
		result.Text = bellcord.ResultText(result.Fate, result.Text)
		result.Processes = []bellcord.Process{{PID: exit.PID, Name: a.Command, How: string(exit.How)}}
		return result
	}
	if exit.Code != 0 {
		result.Failed = true
		result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
	}
	return result
}

func interpreter(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", command}
	}
	return []string{"/bin/sh", "-c", command}
}

// excerpt keeps the head and the tail of a long output.
type excerpt struct {
	head, tail string
	cut        int
}

const mostExcerpt = 32 << 10 // bytes each of head and tail

func (e *excerpt) add(s string) {
	if room := mostExcerpt - len(e.head); room > 0 && e.tail == "" {
		n := min(room, len(s))
		e.head, s = e.head+s[:n], s[n:]
	}
	e.tail += s
	if over := len(e.tail) - mostExcerpt; over > mostExcerpt { // seldom, so that it costs little
		e.cut += over
		e.tail = e.tail[over:]
	}
}

func (e *excerpt) String() string {
	tail, cut := e.tail, e.cut
	if over := len(tail) - mostExcerpt; over > 0 {
		tail, cut = tail[over:], cut+over
	}
	if cut == 0 {
		return strings.ToValidUTF8(e.head+tail, "\uFFFD")
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", e.head, cut, tail), "\uFFFD")
}

// utf8Stream turns bytes into text piece by piece: a character that is split
// between two reads waits for its rest, and what is no text is replaced.
type utf8Stream struct{ rest []byte }

func (u *utf8Stream) next(data []byte) string {
	data = append(u.rest, data...)
	end := len(data)
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if b := data[len(data)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-back:]) {
				end = len(data) - back
			}
			break
		}
	}
	u.rest = append([]byte(nil), data[end:]...)
	return strings.ToValidUTF8(string(data[:end]), "\uFFFD")
}
