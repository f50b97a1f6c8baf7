//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

func TestShell_Command_ReturnsOutputAndExitCode(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	tests := []struct {
		name, command, want string
		failed              bool
	}{
		{"success", "cat a.txt", "one\ntwo\nthree\nfour", false},
		{"silence", "true", "", false},
		{"failure", "echo a; echo b >&2; exit 3", "a\nb\n\n[exit code 3]", true},
		{"failure without a word", "exit 1", "\n[exit code 1]", true},
		{"a program that is not there", "/no/such/program 2>/dev/null", "\n[exit code 127]", true},
		{"text that is none", `printf 'a\377b\n'`, "a\uFFFDb\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := call(t, t.Context(), aShell(t), dir, args{"command": test.command})
			if r.Text != test.want || r.Failed != test.failed || r.Fate != bellcord.CallFinished || r.Processes != nil {
				t.Errorf("%+v, want %q", r, test.want)
			}
		})
	}
	t.Run("a directory that is not there", func(t *testing.T) {
		t.Parallel()
		if r := call(t, t.Context(), aShell(t), filepath.Join(dir, "gone"), args{"command": "true"}); !r.Failed || r.Fate != bellcord.CallFinished {
			t.Errorf("%+v", r)
		}
	})
}

// talk runs a command and passes each piece of its output to a callback. After
// piece n it creates the file go<n>, which the command can wait for.
func talk(t *testing.T, ctx context.Context, dir, command string, hear func(n int, said string)) tool.Result { //nolint:revive // t comes first
	t.Helper()
	text, err := json.Marshal(args{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	return aShell(t).Run(ctx, tool.Call{Dir: dir, Args: text, Output: func(s string) {
		n++
		hear(n, s)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("go", n)), nil, 0o600); err != nil {
			t.Error(err)
		}
	}})
}

const await = "until [ -e go%d ]; do sleep 0.01; done\n"

func TestShell_Output_IsStreamed(t *testing.T) {
	t.Parallel()
	var said []string
	r := talk(t, t.Context(), t.TempDir(), "echo one\n"+fmt.Sprintf(await, 1)+"echo two\n"+fmt.Sprintf(await, 2)+"echo three",
		func(_ int, s string) { said = append(said, s) })
	if got := strings.Join(said, "|"); got != "one\n|two\n|three\n" || r.Text != "one\ntwo\nthree\n" {
		t.Errorf("shown %q, returned %+v", got, r)
	}
}

// The euro sign has three bytes. They arrive in two reads.
func TestShell_CharacterSplitBetweenReads_IsShownWhole(t *testing.T) {
	t.Parallel()
	var said []string
	r := talk(t, t.Context(), t.TempDir(), `printf 'a\342'`+"\n"+fmt.Sprintf(await, 1)+`printf '\202\254b'`,
		func(_ int, s string) { said = append(said, s) })
	if got := strings.Join(said, "|"); got != "a|€b" || r.Text != "a€b" {
		t.Errorf("shown %q, returned %+v", got, r)
	}
}

func TestShell_StoppedCommand_ReturnsOutputSoFar(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	const command = "sleep 100 & echo half; wait" // the second process exists before the output
	r := talk(t, ctx, t.TempDir(), command, func(int, string) { stop() })
	if r.Fate != bellcord.CallStopped || r.Failed || r.Text != "[output so far]\nhalf\n\n[stopped while running; it may have had effects]" {
		t.Errorf("%+v", r)
	}
	if p := r.Processes; p == nil || len(p.Ended) < 2 || p.Ended[0].PID == 0 || len(p.Survivors) != 0 || p.Proof == "" {
		t.Errorf("processes %+v", r.Processes)
	}
}

func TestShell_LongOutput_ReturnsHeadTailAndFile(t *testing.T) {
	t.Parallel()
	const line = "0123456789abcde\n" // 16 bytes
	tests := []struct {
		name  string
		lines int
		cut   int // bytes omitted
	}{
		{"what just fits", 1920, 0},
		{"a line more", 1921, 16},
		{"a lot more", 40 << 10, (40<<10 - 1920) * 16},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			whole := "head\n" + strings.Repeat(line, test.lines)[5:test.lines*16-5] + "tail\n"
			if err := os.WriteFile(filepath.Join(dir, "out"), []byte(whole), 0o600); err != nil {
				t.Fatal(err)
			}
			r := call(t, t.Context(), aShell(t), dir, args{"command": "cat out"})
			want := whole
			if test.cut > 0 {
				want = whole[:15<<10] + fmt.Sprintf("\n[… %d bytes omitted …]\n", test.cut) + whole[len(whole)-15<<10:]
			}
			text, where, cut := strings.Cut(r.Text, fmt.Sprintf("\n[%d bytes in total; the complete output is in ", len(whole)))
			if text != want || cut != (test.cut > 0) {
				t.Errorf("%d bytes, want %d", len(r.Text), len(want))
			}
			if kept, err := os.ReadFile(strings.TrimSuffix(where, "]")); cut && (err != nil || string(kept) != whole) {
				t.Errorf("on disk %d bytes, %v", len(kept), err)
			}
		})
	}
}

func TestShell_LongOutputCutInsideCharacter_ReturnsValidUTF8(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "out"), []byte("x"+strings.Repeat("é", 64<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := call(t, t.Context(), aShell(t), dir, args{"command": "cat out"})
	if !utf8.ValidString(r.Text) || !strings.Contains(r.Text, "bytes omitted") {
		t.Errorf("%d bytes", len(r.Text))
	}
}
