//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// patience allows for a machine that is busy with other tests.
const patience = 2 * time.Minute

// chatWorld is a real server with a bot that is connected to a strict fake Telegram, and the people
// in the chats.
type chatWorld struct {
	*world
	gram   *fakegram.Server
	people []int64
	server *daemon
}

// newChatWorld starts a server for a number of people. Their sessions use Bellcord's agent, or an
// installed pi.
func newChatWorld(t *testing.T, pi string, people int) *chatWorld {
	t.Helper()
	w := &chatWorld{world: newServerWorld(t), gram: fakegram.New()}
	listens := func(listen func(string) (string, func() error, error)) string {
		url, end, err := listen("")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = end() })
		return url
	}
	telegram := listens(func(addr string) (string, func() error, error) {
		running, url, err := w.gram.Listen(addr)
		return url, running.Close, err
	})
	if pi != "" { // pi sends additional fields
		w.model = fakemodel.New(fakemodel.WithLenience())
		w.url = listens(func(addr string) (string, func() error, error) {
			running, url, err := w.model.Listen(addr)
			return url, running.Close, err
		})
	}
	var settings strings.Builder
	fmt.Fprintf(&settings, "[telegram]\ntoken = \"1:TEST\"\napi_url = %q\nmode = \"full\"\n", telegram)
	if pi != "" {
		fmt.Fprintf(&settings, "agent = \"pi\"\n%s", w.hosting(pi))
	}
	settings.WriteString("[telegram.users]\n")
	for n := range people {
		id := int64(1001 + n)
		w.people = append(w.people, id)
		w.gram.AddPerson(fakegram.User{ID: id, FirstName: fmt.Sprintf("Ringer %d", n)})
		fmt.Fprintf(&settings, "ringer%d = %d\n", n, id)
	}
	path := filepath.Join(w.dir, "telegram.toml")
	if err := os.WriteFile(path, []byte(settings.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w.server = w.daemon(nil, "--config", path)
	return w
}

// hosting returns the settings of a pi that can reach only the fake model.
func (w *chatWorld) hosting(pi string) string {
	w.t.Helper()
	all := preset.All()
	d := all[slices.IndexFunc(all, func(d preset.Definition) bool { return d.Name == "pi" })]
	d.Command[0] = pi
	d, err := d.Offline(filepath.Join(w.data, "pi"), strings.TrimSuffix(w.url, "/v1"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "[agents.pi]\nprotocol = \"pi\"\nhome = %q\ncommand = [", d.Home)
	for _, word := range d.Command {
		fmt.Fprintf(&out, "%q, ", word)
	}
	out.WriteString("]\n[agents.pi.env]\n")
	for name, value := range d.Env {
		fmt.Fprintf(&out, "%s = %q\n", name, value)
	}
	return out.String()
}

// bot returns the bot's messages to a person after the given message, and the current draft.
func (w *chatWorld) bot(person int64, after int) (texts []string, draft string) {
	view := w.gram.Chat(person)
	for _, m := range view.Messages {
		if m.From.IsBot && m.ID > after {
			texts = append(texts, m.Text)
		}
	}
	if d, live := view.Draft(); live && !d.Thinking {
		draft = d.Text
	}
	return texts, draft
}

// until waits until the bot's messages after the given one fulfill is.
func (w *chatWorld) until(person int64, after int, is func(texts []string) bool) error {
	ctx, done := context.WithTimeout(w.t.Context(), patience)
	defer done()
	err := w.gram.Wait(ctx, func() bool { texts, _ := w.bot(person, after); return is(texts) })
	if err != nil {
		texts, draft := w.bot(person, after)
		return fmt.Errorf("the chat shows %q and the draft %q: %w", texts, draft, err)
	}
	return nil
}

// kin returns the processes of this world: those with its data directory in their arguments or
// environment.
func (w *chatWorld) kin() (found []string) {
	w.t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		w.t.Skip("no process table to look into")
	}
	for _, dir := range dirs {
		line, _ := os.ReadFile(dir + "/cmdline")
		env, _ := os.ReadFile(dir + "/environ")
		if bytes.Contains(line, []byte(w.data)) || bytes.Contains(env, []byte(w.data)) {
			found = append(found, fmt.Sprintf("%s %q", filepath.Base(dir), line))
		}
	}
	return found
}

// leave ends the server and returns the number of its remaining processes and of broken Telegram
// rules.
func (w *chatWorld) leave() (processes, violations int) {
	w.t.Helper()
	w.server.terminates()
	if code := w.server.ends(); code != 0 {
		w.t.Errorf("exit code %d: %s", code, w.server.stderrText())
	}
	left := w.kin()
	for _, p := range left {
		w.t.Errorf("left: %s", p)
	}
	broken := w.gram.Violations()
	for _, words := range broken {
		w.t.Errorf("a rule was broken: %s", words)
	}
	for _, r := range w.model.Requests() {
		if r.Finished.IsZero() && r.Aborted.IsZero() && r.Rejected == "" {
			w.t.Errorf("request %d is still answered: %s", r.N, r.Prompt)
		}
	}
	return len(left), len(broken)
}
