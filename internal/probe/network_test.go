//go:build unix

package probe_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
	"github.com/bellcord/bellcord/internal/websocket"
)

// socketWriter writes each line as a message.
type socketWriter struct{ conn *websocket.Conn }

func (w socketWriter) Write(line []byte) (int, error) {
	return len(line), w.conn.Write(context.Background(), line[:len(line)-1])
}

// overNetwork returns the faulty agent behind a WebSocket. Its sessions outlive
// their connections.
func overNetwork(t *testing.T, defect, token string) probe.Target {
	t.Helper()
	m, url := model(t)
	agent := newFaulty(defect, url, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		conn, err := websocket.Accept(w, r, 1<<20)
		if err != nil {
			return
		}
		agent.mu.Lock()
		agent.out = socketWriter{conn}
		agent.mu.Unlock()
		returned := false // the client has loaded a session of another connection
		for {
			message, release, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			var in incoming
			if json.Unmarshal(message, &in) == nil && (in.Method != "session/cancel" || defect != "ignores-returned" || !returned) {
				returned = returned || in.Method == "session/load"
				agent.handle(in)
			}
			release()
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(agent.turns.Wait)
	t.Cleanup(func() {
		for _, s := range agent.sessions {
			agent.cancelAll(s)
		}
	})
	return probe.Target{Name: "network", Dir: t.TempDir(), Model: m, ShellTool: "shell", ShellArgs: shellArgs, Dial: func(ctx context.Context) (*websocket.Conn, error) {
		return websocket.Dial(ctx, server.Client(), server.URL, http.Header{"Authorization": {"Bearer " + token}}, 1<<20)
	}}
}

func TestRun_OverWebSocket_GradesWhatNeedsNoProcess(t *testing.T) {
	t.Parallel()
	needProcess := strings.Fields("cancel-in-tool tool-final-status permission-unanswered permission-cancelled history-paired background-work unprompted-work exit-on-eof v2-turn v2-cancel")
	for _, tt := range []struct{ defect, found string }{
		{"", ""},
		{"ignores-returned", "cancel-after-cut"},
		{"stale-cancel", "idle-cancel"},
		{"late-update", "quiet-after-answer"},
	} {
		t.Run(tt.defect, func(t *testing.T) {
			t.Parallel()
			for check, grade := range grades(t, overNetwork(t, tt.defect, "secret"), quick) {
				want := probe.Pass
				switch {
				case check == tt.found:
					want = probe.Fail
				case slices.Contains(needProcess, check):
					want = probe.Skip
				}
				if grade != want {
					t.Errorf("%s: %s, want %s", check, grade, want)
				}
			}
		})
	}
}

func TestRun_ServerRefusesTheToken_ReturnsItsAnswer(t *testing.T) {
	t.Parallel()
	if _, err := probe.Run(t.Context(), overNetwork(t, "", "wrong"), quick); err == nil || !strings.Contains(err.Error(), "401 Unauthorized: no token") {
		t.Errorf("the error is %v", err)
	}
}
