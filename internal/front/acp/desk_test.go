package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// serve lets the editor answer the agent's requests, in order, and returns a
// function that says which came.
func (e *editor) serve(answer func(f frame) obj) (asked func() []string) {
	var methods []string
	go func() { // ends with the bubble's last frame: the wire is closed then
		for next := 0; ; {
			e.mu.Lock()
			frames, grew := e.frames, e.grew
			e.mu.Unlock()
			for ; next < len(frames); next++ {
				f := frames[next]
				if f.Method == "" || len(f.ID) == 0 {
					continue
				}
				e.mu.Lock()
				methods = append(methods, f.Method)
				e.mu.Unlock()
				if result := answer(f); result != nil {
					e.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", f.ID, text(result)))
				}
			}
			select {
			case <-grew:
			case <-e.t.Context().Done():
				return
			}
		}
	}()
	return func() []string {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Clone(methods)
	}
}

// desk keeps the desk that the front hands over.
func withDesk(desk *atomic.Pointer[acp.Desk]) func(*acp.Config) {
	return func(c *acp.Config) {
		c.Opened = func(_ bellcord.SessionID, d *acp.Desk, _ []acp.MCPServer) { desk.Store(d) }
	}
}

func TestACommandInTheEditorsTerminalIsKilledThenReadThenReleased(t *testing.T) {
	t.Parallel()
	var desk atomic.Pointer[acp.Desk]
	agent := script(func(ctx context.Context, w *bellcord.Work) error {
		exit, err := desk.Load().Terminal(ctx, []string{"sh", "-c", "make"}, "/", func(s string) { _ = w.Emit(bellcord.Said{Text: s}) })
		_ = w.Emit(bellcord.Said{Text: fmt.Sprintf("|%+v %v", exit, err)})
		return context.Cause(ctx)
	})
	edit(t, agent, withDesk(&desk), func(t *testing.T, e *editor) {
		output := "half\n"
		asked := e.serve(func(f frame) obj {
			switch f.Method {
			case "terminal/create":
				return obj{"terminalId": "t1"}
			case "terminal/output":
				return obj{"output": output, "truncated": false}
			case "terminal/kill":
				output = "half\nand the last words\n"
			}
			return obj{}
		})
		id := e.prompt("build")
		<-time.After(600 * time.Millisecond)
		began := time.Now()
		e.tell("session/cancel", e.here())
		f := e.answer(id)
		if f.Result["stopReason"] != "cancelled" || time.Since(began) != 0 {
			t.Errorf("answered %+v after %v", f, time.Since(began))
		}
		methods := asked()
		if end := methods[len(methods)-3:]; !slices.Equal(end, []string{"terminal/kill", "terminal/output", "terminal/release"}) {
			t.Errorf("asked %v", methods)
		}
		if said := e.said(); said != "half\nand the last words\n|{Code:-1 Output:half\nand the last words\n Stopped:true} <nil>" {
			t.Errorf("said %q", said)
		}
	})
}

func TestAnEditorThatNoLongerAnswersDelaysAStopByABoundOnly(t *testing.T) {
	t.Parallel()
	var desk atomic.Pointer[acp.Desk]
	agent := script(func(ctx context.Context, _ *bellcord.Work) error {
		_, err := desk.Load().Terminal(ctx, []string{"sleep"}, "/", func(string) {})
		return err
	})
	edit(t, agent, withDesk(&desk), func(t *testing.T, e *editor) {
		e.serve(func(f frame) obj {
			if f.Method == "terminal/create" {
				return obj{"terminalId": "t1"}
			}
			return nil // silence
		})
		id := e.prompt("build")
		synctest.Wait()
		began := time.Now()
		e.tell("session/cancel", e.here())
		if f := e.answer(id); f.Result["stopReason"] != "cancelled" || time.Since(began) != 3*time.Second {
			t.Errorf("answered %+v after %v", f, time.Since(began))
		}
	})
}

func TestFilesAreReadAndWrittenAsTheEditorHasThem(t *testing.T) {
	t.Parallel()
	var desk atomic.Pointer[acp.Desk]
	agent := script(func(ctx context.Context, w *bellcord.Work) error {
		d := desk.Load()
		unsaved, err := d.ReadText(ctx, "/a", 2, 3)
		if err == nil {
			err = d.WriteText(ctx, "/b", unsaved)
		}
		_ = w.Emit(bellcord.Said{Text: fmt.Sprintf("%q %v", unsaved, err)})
		return err
	})
	edit(t, agent, withDesk(&desk), func(t *testing.T, e *editor) {
		var seen []string
		e.serve(func(f frame) obj {
			seen = append(seen, f.Method+" "+text(f.Params))
			return obj{"content": "not saved yet"}
		})
		e.answer(e.prompt("go"))
		all := strings.Join(seen, "\n")
		for _, want := range []string{`"line":2`, `"limit":3`, `"path":"/a"`, `"content":"not saved yet"`, `"path":"/b"`} {
			if !strings.Contains(all, want) {
				t.Errorf("no %s in %s", want, all)
			}
		}
		if e.said() != `"not saved yet" <nil>` {
			t.Errorf("said %q", e.said())
		}
	})
}

// said is the text that the editor was shown.
func (e *editor) said() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all strings.Builder
	for _, f := range e.frames {
		update, _ := f.Params["update"].(map[string]any)
		if update["sessionUpdate"] == "agent_message_chunk" {
			content, _ := update["content"].(map[string]any)
			piece, _ := content["text"].(string)
			all.WriteString(piece)
		}
	}
	return all.String()
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}
