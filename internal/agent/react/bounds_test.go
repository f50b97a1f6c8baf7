//go:build unix

package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store/sqlite"
)

// flood is the number of bytes that the tools of the tests below write.
var flood = flag.Int("flood", 64_000_000, "bytes that a tool puts out")

// onRealStage returns a stage with a real shell, and its data directory.
func onRealStage(t *testing.T, m *model) (*stage, string) {
	t.Helper()
	dir := t.TempDir()
	keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, model: m, store: store}
	s.agent = &react.Agent{Tools: []tool.Tool{tool.Shell(keeper, &tool.SessionResources{Dir: t.TempDir()})}, Model: func(string) (react.Model, error) {
		return react.Model{Model: m, Name: "one"}, nil
	}}
	if s.Hub, err = hub.Open(t.Context(), store, s.agent, hub.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(context.Background()), keeper.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	if s.session, err = s.NewSession(t.Context(), bellcord.Session{Dir: dir, Mode: "full", Model: "fake/one"}); err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func storeSize(t *testing.T, dir string) int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "bellcord.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	var sum int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	return sum
}

// Not parallel: it measures the memory of the process.
func TestShell_EndlessOutput_RecordsHeadTailAndOmittedBytes(t *testing.T) {
	for _, test := range []struct{ name, source string }{
		{"NUL", "/dev/zero"},
		{"text", "| yes 0123456789abcdef"},
	} {
		t.Run(test.name, func(t *testing.T) {
			command := fmt.Sprintf("head -c %d %s", *flood, test.source)
			if pipe, is := strings.CutPrefix(test.source, "| "); is {
				command = fmt.Sprintf("%s | head -c %d", pipe, *flood)
			}
			args, err := json.Marshal(map[string]string{"command": command})
			if err != nil {
				t.Fatal(err)
			}
			m := &model{script: []answer{{calls: []llm.Call{{ID: "flood", Name: "shell", Args: string(args)}}}, {text: "done"}}}
			s, dir := onRealStage(t, m)
			began := time.Now()
			if r := s.run("flood"); r.End != bellcord.EndDone || r.Calls.Finished != 1 {
				t.Fatalf("%s %s %+v", r.End, r.Error, r.Calls)
			}
			first := time.Since(began)
			began = time.Now()
			s.run("next")
			next := time.Since(began)
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			size := storeSize(t, dir)
			t.Logf("%d MB of %s: %s; store %d kB; next prompt %s; heap %d MB", *flood/1e6, test.name, first, size/1000, next, memory.HeapSys/1e6)
			if most := int64(12 << 20); size > most {
				t.Errorf("the store has %d bytes, more than %d", size, most)
			}
			if next > time.Minute { // it needs milliseconds, whatever the command has printed
				t.Errorf("the next prompt took %s", next)
			}
			if memory.HeapSys > 300<<20 {
				t.Errorf("the heap has %d bytes", memory.HeapSys)
			}
			recorded, omitted := int64(0), int64(0)
			for _, ev := range s.log() {
				if out, is := ev.Body.(bellcord.ToolOutputDelta); is {
					recorded += int64(len(out.Text))
					omitted += out.Omitted
				}
			}
			if recorded > bellcord.DefaultOutput+100 || omitted != int64(*flood)-bellcord.DefaultOutput {
				t.Errorf("%d bytes recorded, %d said to be left out", recorded, omitted)
			}
		})
	}
}

func TestStep_AnswerLongerThanBound_EndsAsLengthWithNotice(t *testing.T) {
	t.Parallel()
	onStage(t, &model{script: []answer{{text: strings.Repeat("x", bellcord.MaxAnswer+1)}}}, "full", func(*stage) []tool.Tool { return nil },
		func(t *testing.T, s *stage) {
			if r := s.run("go"); r.End != bellcord.EndDone || r.Kept.TextBytes > 200 {
				t.Errorf("%s %q, %d bytes kept", r.End, r.Error, r.Kept.TextBytes)
			}
			var text string
			var finish bellcord.Finish
			for _, ev := range s.log() {
				switch b := ev.Body.(type) {
				case bellcord.TextDelta:
					text += b.Text
				case bellcord.StepEnded:
					finish = b.Finish
				}
			}
			if !strings.Contains(text, "longer than 8 MiB") || finish != "max_output" {
				t.Errorf("said %q, finish %q", text, finish)
			}
		})
}

func TestCall_ArgumentsLongerThanBound_AreNotRecordedAndNotRun(t *testing.T) {
	t.Parallel()
	long := llm.Call{ID: "long", Name: "write", Args: `{"text":"` + strings.Repeat("x", bellcord.MaxArguments) + `"}`}
	onStage(t, &model{script: []answer{{calls: []llm.Call{long}}}}, "full", func(*stage) []tool.Tool {
		return []tool.Tool{made("write", func(context.Context, tool.Call) tool.Result {
			t.Error("it ran")
			return tool.Result{}
		})}
	}, func(t *testing.T, s *stage) {
		if r := s.run("go"); r.End != bellcord.EndDone || len(r.Calls.NotStarted) != 1 {
			t.Errorf("%s %q %+v", r.End, r.Error, r.Calls)
		}
		if result := s.resultSent("long"); !strings.Contains(result, "longer than 1048576 bytes") || len(result) > 1000 {
			t.Errorf("%q", result)
		}
	})
}
