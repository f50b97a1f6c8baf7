package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// serve answers the server's requests in order and returns a function that
// lists their methods.
func (e *editor) serve(answer func(f frame) obj) (requests func() []string) {
	var methods []string
	go func() { // ends when the test's context does
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

// withEditorTools stores the EditorTools that the front passes to Opened.
func withEditorTools(tools *atomic.Pointer[acp.EditorTools]) func(*acp.Config) {
	return func(c *acp.Config) {
		c.Opened = func(_ bellcord.SessionID, d *acp.EditorTools, _ []acp.MCPServer) { tools.Store(d) }
	}
}

func TestEditorTools_ReadAndWriteText_GoThroughTheEditor(t *testing.T) {
	t.Parallel()
	var tools atomic.Pointer[acp.EditorTools]
	agent := script(func(ctx context.Context, w *hub.Work) error {
		d := tools.Load()
		unsaved, err := d.ReadText(ctx, "/a", 2, 3)
		if err == nil {
			err = d.WriteText(ctx, "/b", unsaved)
		}
		_ = w.Emit(bellcord.TextDelta{Text: fmt.Sprintf("%q %v", unsaved, err)})
		return err
	})
	edit(t, agent, withEditorTools(&tools), func(t *testing.T, e *editor) {
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
		if e.shownText() != `"not saved yet" <nil>` {
			t.Errorf("said %q", e.shownText())
		}
	})
}

// shownText returns the text that the editor was sent.
func (e *editor) shownText() string {
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
