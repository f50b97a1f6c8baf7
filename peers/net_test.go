package peers_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve starts a server and returns its URL. Its token has all scopes.
func (r *rig) serve() (url, token string) {
	r.Helper()
	cmd := r.command(bellcord(r.T), "serve", "--addr", "127.0.0.1:0", "--config", r.path("config.toml"), "--data-dir", r.path("data"))
	cmd.Stderr = nil
	logged, err := cmd.StderrPipe()
	if err != nil {
		r.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	serving, drained := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(drained)
		lines := bufio.NewScanner(logged)
		for lines.Scan() {
			var entry struct{ Level, Msg, URL string }
			if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
				serving <- entry.URL
			}
		}
	}()
	r.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-drained
		_ = cmd.Wait()
	})
	select {
	case url = <-serving:
	case <-drained:
		r.Fatal("the server ended before it served")
	}
	text, err := os.ReadFile(filepath.Join(r.path("data"), "token"))
	if err != nil {
		r.Fatal(err)
	}
	return url, strings.TrimSpace(string(text))
}

const transportHTTP = "BELLCORD_TRANSPORT=http"

// network makes the scenarios of sdk.mjs connect to a server.
func (r *rig) network(transport string) {
	url, token := r.serve()
	r.env = append(r.env, "BELLCORD_URL="+url+"/acp", "BELLCORD_TOKEN="+token, "BELLCORD_TRANSPORT="+transport, "BELLCORD_WIRE="+r.path("wire"))
}

// bridged makes clients start a bridge to a server instead of the agent.
func (r *rig) bridged() {
	url, token := r.serve()
	agent := []string{bellcord(r.T), "acp", "--connect", url, "--on-disconnect", "stop", "--config", r.path("config.toml"), "--data-dir", r.path("home")}
	r.env = append(r.env, "BELLCORD_TOKEN="+token, tapCommand+"="+asJSON(r.T, agent)) // replaces the earlier one
}

// sdkNetwork contains the scenarios that do not depend on stdio.
var sdkNetwork = map[string]func(*rig){
	"a prompt is answered":                                                sdkPlain,
	"a cancel in mid-stream stops the model's request":                    sdkMidStream,
	"a cancel during a command ends its processes before the answer":      sdkTool,
	"a cancel withdraws a permission that is never answered":              sdkUnanswered,
	"a permission answered cancelled, as the contract wants, ends well":   sdkPermissionCancelled,
	"a cancel while idle does nothing to the next prompt":                 sdkIdle,
	"a second cancel changes nothing":                                     sdkTwice,
	"prompts that overlap are answered in order, and a cancel stops both": sdkOverlap,
	"a cancelled request is a stopped prompt, and the next one runs":      sdkCancelRequest,
	"a close in mid-turn answers the prompt first":                        sdkClose,
	"a load on a new connection replays what was streamed":                sdkLoad,
	"model and mode can be set":                                           sdkSettings,
	"sessions are listed, resumed and deleted":                            sdkShelf,
}

func TestTypeScriptSDK_OverTheNetwork_PassesTheAudit(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"ws", "http"} {
		for name, play := range sdkNetwork {
			t.Run(transport+": "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.network(transport)
				play(r)
				r.judge()
			})
		}
	}
}

// A client that speaks only stdio is connected to a server by acp --connect.
func TestTypeScriptSDK_ThroughABridge_PassesTheAudit(t *testing.T) {
	t.Parallel()
	scenarios := map[string]func(*rig){"a cancel in the same write as its prompt is not lost": sdkSameWrite}
	for name, play := range sdkNetwork {
		scenarios[name] = play
	}
	for name, play := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.bridged()
			play(r)
			r.judge()
		})
	}
}

// acpx has no network transport, so it uses a bridge.
func TestAcpx_ThroughABridge_PassesTheAudit(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(*rig){
		"a prompt is answered":                                         acpxPlain,
		"an interrupt in mid-stream stops the model's request":         acpxInterrupt,
		"a cancel by a second process in mid-stream stops the request": acpxCancel,
		"a cancel during a command ends its processes":                 acpxTool,
		"a session goes on in a new process":                           acpxReopened,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.bridged()
			play(r)
			if len(r.owners()) > 0 {
				r.acpx("sessions", "close").prints()
			}
			r.awaitExits()
			r.judge()
		})
	}
}
