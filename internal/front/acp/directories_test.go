package acp_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

func TestAdditionalDirectories_OfEachRequest_AreTheSessionsUntilTheNext(t *testing.T) {
	t.Parallel()
	var seen []string
	agent := func(_ context.Context, w *hub.Work) error {
		seen = w.Session.AdditionalDirs
		return nil
	}
	one, two := t.TempDir(), t.TempDir()
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		hello := e.request("initialize", obj{"protocolVersion": 1, "clientCapabilities": obj{}})
		if hello.Result["agentCapabilities"].(obj)["sessionCapabilities"].(obj)["additionalDirectories"] == nil {
			t.Errorf("the capability is not announced: %v", hello.Result)
		}
		e.session = e.request("session/new", obj{"cwd": e.dir, "mcpServers": []any{}, "additionalDirectories": []string{one, two}}).Result["sessionId"].(string)
		check := func(after string, want ...string) {
			t.Helper()
			e.answer(e.prompt("go"))
			if !slices.Equal(seen, want) {
				t.Errorf("after %s the turn has %v, want %v", after, seen, want)
			}
			stored, err := e.store.Session(t.Context(), bellcord.SessionID(e.session))
			if err != nil || !slices.Equal(stored.AdditionalDirs, want) || stored.Dir != e.dir {
				t.Errorf("after %s the store has %+v, %v", after, stored, err)
			}
			for _, row := range e.request("session/list", obj{}).Result["sessions"].([]any) {
				listed, _ := row.(obj)["additionalDirectories"].([]any)
				if row.(obj)["sessionId"] == e.session && len(listed) != len(want) {
					t.Errorf("after %s the list has %v", after, row)
				}
			}
		}
		check("new", one, two)
		for _, method := range []string{"session/load", "session/resume"} {
			e.request(method, obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}, "additionalDirectories": []string{two}})
			check(method, two)
			e.request(method, obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
			check(method + " without directories")
		}
	})
}

// An editor can have opened a project by a path with symbolic links.
func TestSession_CwdIsALink_IsFoundAndNamedByBothNames(t *testing.T) {
	t.Parallel()
	var tools atomic.Pointer[acp.EditorTools]
	agent := script(func(ctx context.Context, w *hub.Work) error {
		_, err := tools.Load().ReadText(ctx, filepath.Join(w.Session.Dir, "a", "b"), 0, 0)
		return err
	})
	edit(t, agent, withEditorTools(&tools), func(t *testing.T, e *editor) {
		other := filepath.Join(t.TempDir(), "other")
		if err := os.Symlink(e.dir, other); err != nil {
			t.Skip("links cannot be created: ", err)
		}
		id := e.request("session/new", obj{"cwd": other, "mcpServers": []any{}, "additionalDirectories": []string{other}}).Result["sessionId"].(string)
		check := func(after string) {
			t.Helper()
			s, err := e.store.Session(t.Context(), bellcord.SessionID(id))
			if err != nil || s.Dir != e.dir || !slices.Equal(s.AdditionalDirs, []string{e.dir}) {
				t.Errorf("after %s the session is %+v, %v", after, s, err)
			}
			changes := 0
			events, err := e.store.Events(t.Context(), s.ID, 0, 100)
			for _, ev := range events {
				if b, is := ev.Body.(bellcord.SessionUpdated); is && (b.Dir != "" || b.AdditionalDirs != nil) {
					changes++
				}
			}
			if err != nil || changes > 0 {
				t.Errorf("after %s the directories were changed: %v, %v", after, events, err)
			}
		}
		check("new")
		for _, cwd := range []string{other, e.dir} {
			e.request("session/load", obj{"sessionId": id, "cwd": cwd, "mcpServers": []any{}, "additionalDirectories": []string{cwd}})
			check("load with " + cwd)
			listed := 0
			for _, row := range e.request("session/list", obj{"cwd": cwd}).Result["sessions"].([]any) {
				if row.(obj)["cwd"] == cwd {
					listed++
				}
			}
			if listed != 2 {
				t.Errorf("%d sessions in %s", listed, cwd)
			}
			var asked string
			e.serve(func(f frame) obj {
				asked += text(f.Params)
				return obj{"content": ""}
			})
			e.session = id
			e.answer(e.prompt("go"))
			if !strings.Contains(asked, `"path":"`+filepath.Join(cwd, "a", "b")+`"`) {
				t.Errorf("the editor that works in %s was asked for %s", cwd, asked)
			}
		}
	})
}
