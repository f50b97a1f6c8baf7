package backend

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/server"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/sessionid"
)

func TestToken_OfTheDataDirectory_IsOnlySentToThisMachine(t *testing.T) { // not parallel: it sets the environment
	data, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
	for path, text := range map[string]string{filepath.Join(data, "token"): "bc_data\n", own: " bc_own\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, file, env, data string
		near                  bool
		want                  string
	}{
		{"a server here", "", "", data, true, "bc_data"},
		{"a server elsewhere", "", "", data, false, ""},
		{"the environment's", "", "bc_env", data, true, "bc_env"},
		{"the environment's goes where it is told", "", "bc_env", data, false, "bc_env"},
		{"a file's before all", own, "bc_env", data, false, "bc_own"},
		{"a directory without one", "", "", t.TempDir(), true, ""},
	} {
		t.Setenv("BELLCORD_TOKEN", test.env)
		c := Config{App: app.Config{Settings: config.Config{DataDir: test.data}}, TokenFile: test.file}
		if got, err := c.token(test.near); got != test.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

func testConfig(t *testing.T) Config {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	return Config{Command: "stop", App: app.Config{
		Settings: config.Config{
			DataDir: shortDir(t), Model: "fake/fake", Mode: "ask",
			Provider: map[string]config.Provider{config.Fake: {API: config.Fake}},
			Serve:    config.Serve{Addr: "127.0.0.1:0", MaxTurns: -1, MaxTurnsPerOwner: -1, MaxViewers: -1, MaxViewersPerOwner: -1},
		},
		Version: "1.2.3", Secrets: &secret.Set{}, Logger: logger, TurnLog: logger,
	}}
}

func TestOpen_WithAndWithoutAServer_FindsStopsRenamesAndRemovesASession(t *testing.T) {
	t.Parallel()
	for _, served := range []bool{false, true} {
		t.Run(fmt.Sprint("server ", served), func(t *testing.T) {
			t.Parallel()
			c := testConfig(t)
			if served {
				serve(t, c)
			}
			at, err := Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if _, remote := at.(Remote); remote != served || ServerRuns(t.Context(), c.App.Settings.DataDir) != served {
				t.Fatalf("it is a %T", at)
			}
			tryChat(t, at, c)
			if err := at.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func tryChat(t *testing.T, at Backend, c Config) {
	t.Helper()
	ctx := t.Context()
	hub, err := Chat(at, c.App.Settings, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Check(ctx, bellcord.Session{Model: "fke/fake"}); err == nil {
		t.Error("a model that does not exist passes")
	}
	made, err := hub.NewSession(ctx, bellcord.Session{})
	if err != nil {
		t.Fatal(err)
	}
	id := made.ID
	if found, err := FindSession(ctx, at, string(id)[len(id)-8:]); err != nil || found != id {
		t.Errorf("found %s, %v", found, err)
	}
	if newest, err := Newest(ctx, at, made.Dir); err != nil || newest != id {
		t.Errorf("the newest is %s, %v", newest, err)
	}
	turn := bellcord.NewTurnID()
	if err := hub.Prompt(ctx, id, chat.Prompt{Turn: turn, Text: "[hang]"}); err != nil {
		t.Fatal(err)
	}
	if found, err := FindTurn(ctx, at, string(turn)[len(turn)-8:]); err != nil || found != turn {
		t.Errorf("found turn %s, %v", found, err)
	}
	if all, err := hub.Sessions(ctx); err != nil || len(all) != 1 || all[0].ID != id || all[0].State != chat.SessionRunning && all[0].State != chat.SessionQueued || all[0].Since.IsZero() {
		t.Errorf("while the turn runs: %+v, %v", all, err)
	}
	tryQueue(t, hub, id)
	stopped, err := at.Stop(ctx, turn, "", api.Stop{Wait: "10s"})
	if err != nil || len(stopped.Turns) != 1 || stopped.Turns[0].Receipt == nil || stopped.Turns[0].Receipt.Cause.Source != "bellcord stop" {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
	if err := at.Rename(ctx, id, "a title"); err != nil {
		t.Error(err)
	}
	if s, err := at.Session(ctx, id); err != nil || s.Title != "a title" {
		t.Errorf("%+v, %v", s, err)
	}
	if all, err := hub.Sessions(ctx); err != nil || len(all) != 1 || all[0].State != chat.SessionHeld {
		t.Errorf("after the stop: %+v, %v", all, err)
	}
	second := bellcord.NewTurnID()
	if err := hub.Prompt(ctx, id, chat.Prompt{Turn: second, Text: "[say locomotive]"}); err != nil {
		t.Fatal(err)
	}
	if _, err := at.Stop(ctx, second, "", api.Stop{Wait: "10s"}); err != nil {
		t.Error(err)
	}
	if hits, err := hub.Search(ctx, "locomotive"); err != nil || len(hits) != 1 || hits[0].Session.ID != id || hits[0].Text != "[say locomotive]" {
		t.Errorf("a word of a prompt: %+v, %v", hits, err)
	}
	if hits, err := hub.Search(ctx, "zebra"); err != nil || len(hits) != 0 {
		t.Errorf("another word: %+v, %v", hits, err)
	}
	if nodes, err := at.Nodes(ctx); err != nil || len(nodes) != 1 {
		t.Errorf("%+v, %v", nodes, err)
	}
	if err := at.Remove(ctx, id, true); err != nil {
		t.Error(err)
	}
	if _, err := at.Session(ctx, id); !noSession(err) {
		t.Errorf("after its removal: %v", err)
	}
}

// tryQueue queues prompts and edits them to texts that an API could take for
// commands.
func tryQueue(t *testing.T, hub chat.Hub, session bellcord.SessionID) {
	t.Helper()
	ctx := t.Context()
	for _, p := range []chat.Prompt{{Text: "/stop"}, {Task: bellcord.TaskCompact}, {Task: bellcord.TaskCommand, Text: "!ls"}} {
		p.Turn = bellcord.NewTurnID()
		if err := hub.Prompt(ctx, session, p); err != nil {
			t.Errorf("%+v: %v", p, err)
			continue
		}
		text := map[bellcord.Task]string{bellcord.TaskAnswer: "/clear", bellcord.TaskCompact: "the names", bellcord.TaskCommand: "!ls -l"}[p.Task]
		if err := hub.Edit(ctx, p.Turn, text); err != nil {
			t.Errorf("edit %+v: %v", p, err)
		}
		if got := textOf(t, hub, session, p.Turn); got != text {
			t.Errorf("task %q: the text is %q, want %q", p.Task, got, text)
		}
	}
}

// textOf returns the text of an edited prompt.
func textOf(t *testing.T, hub chat.Hub, session bellcord.SessionID, turn bellcord.TurnID) string {
	t.Helper()
	events, done, err := hub.Events(t.Context(), session, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for {
		batch, err := events.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range batch {
			if edited, is := ev.Body.(bellcord.PromptEdited); is && ev.Turn == turn {
				return edited.Text
			}
		}
	}
}

// serve runs a server on the data directory until the test ends.
func serve(t *testing.T, c Config) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("servers are only tested on Unix, as in cmd/bellcord")
	}
	s, err := server.Open(t.Context(), c.App)
	if err != nil {
		t.Fatal(err)
	}
	signals, ready, ended := make(chan os.Signal, 1), make(chan string, 1), make(chan error, 1)
	go func() { ended <- s.Run(signals, func(url string) { ready <- url }) }()
	<-ready
	t.Cleanup(func() {
		signals <- os.Interrupt
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// shortDir returns a directory with a path short enough for a socket. On
// macOS, that of t.TempDir is too long.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestFindTarget_PartOfSeveralSessions_IsAmbiguous(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	at, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = at.Close() }()
	hub, err := Chat(at, c.App.Settings, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var id bellcord.SessionID
	for range 2 {
		made, err := hub.NewSession(t.Context(), bellcord.Session{})
		if err != nil {
			t.Fatal(err)
		}
		id = made.ID
	}
	ambiguous := new(sessionid.AmbiguousError)
	if _, _, err := FindTarget(t.Context(), at, string(id)[:4]); !errors.As(err, &ambiguous) || ambiguous.Matches != 2 || strings.Contains(err.Error(), "neither") {
		t.Errorf("stopping: %v", err)
	}
	if _, err := FindReceipt(t.Context(), at, string(id)[:4]); !errors.As(err, &ambiguous) {
		t.Errorf("the receipt: %v", err)
	}
	if _, err := FindReceipt(t.Context(), at, string(id)); err == nil || !strings.Contains(err.Error(), "no turn of session "+string(id)+" has ended") {
		t.Errorf("the receipt of an empty session: %v", err)
	}
}

func TestAdditionalDirs_Paths_AreAbsoluteAndExist(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := errors.Join(os.Mkdir("sub", 0o700), os.WriteFile("file", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dirs   []string
		server bool
		want   []string
		err    string
	}{
		{nil, false, nil, ""},
		{nil, true, nil, ""},
		{[]string{"sub", dir}, false, []string{filepath.Join(here, "sub"), dir}, ""},
		{[]string{"."}, false, []string{here}, ""},
		{[]string{"none"}, false, nil, "--add-dir: no such directory: none"},
		{[]string{"file"}, false, nil, "--add-dir: file is not a directory"},
		{[]string{""}, false, nil, "--add-dir: the path is empty"},
		{[]string{dir}, true, nil, errAddDirOnServer.Error()},
	} {
		got, err := AdditionalDirs(test.dirs, test.server)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !slices.Equal(got, test.want) || text != test.err {
			t.Errorf("%q, server %v: %q, %q; want %q, %q", test.dirs, test.server, got, text, test.want, test.err)
		}
	}
}

func TestChat_AdditionalDirs_AreThoseOfNewSessions(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	at, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	hub, err := Chat(at, c.App.Settings, t.TempDir(), []string{other})
	if err != nil {
		t.Fatal(err)
	}
	made, err := hub.NewSession(t.Context(), bellcord.Session{})
	if err != nil || !slices.Equal(made.AdditionalDirs, []string{other}) {
		t.Errorf("%q, %v", made.AdditionalDirs, err)
	}
	if made, err = hub.Change(t.Context(), made.ID, bellcord.SessionUpdated{AdditionalDirs: &[]string{made.Dir}}); err != nil || !slices.Equal(made.AdditionalDirs, []string{made.Dir}) {
		t.Errorf("changed: %q, %v", made.AdditionalDirs, err)
	}
	if err := at.Close(); err != nil {
		t.Error(err)
	}
}
