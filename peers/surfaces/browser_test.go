package surfaces_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// browser is a real browser that shows the session on the page.
type browser struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// openBrowser logs a browser in with bellcord open, as a person does. The session belongs to anna
// of Telegram; a session of another owner needs --admin.
func openBrowser(s *stage, chromium string, session bellcord.SessionID) *browser {
	s.t.Helper()
	cmd := exec.Command("node", "page.mjs")
	cmd.Env, cmd.Stderr = append(os.Environ(), "BELLCORD_BROWSER="+chromium), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	})
	address, err := s.bellcord("open", "--print", "--admin").Output()
	if err != nil {
		s.t.Fatal(err)
	}
	b := &browser{s.t, in, bufio.NewReader(out)}
	b.does("login", map[string]any{"address": strings.TrimSpace(string(address))}, nil)
	b.does("open", map[string]any{"address": s.url + "/s/" + string(session)}, nil)
	return b
}

// does performs an action in the browser and decodes the result.
func (b *browser) does(deed string, more map[string]any, into any) {
	b.t.Helper()
	more["deed"] = deed
	question, err := json.Marshal(more)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(question, '\n')); err != nil {
		b.t.Fatal(err)
	}
	line, err := b.out.ReadBytes('\n')
	if err != nil {
		b.t.Fatalf("%s: %v", deed, err)
	}
	var answer struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Error != "" {
		b.t.Fatalf("%s: %v %s", deed, err, answer.Error)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer.Value, into); err != nil {
		b.t.Fatalf("%s: %v in %s", deed, err, answer.Value)
	}
}

func (b *browser) name() string { return "the page" }

func (b *browser) prompt(text string) { b.does("prompt", map[string]any{"text": text}, nil) }

func (b *browser) stop(turn bellcord.TurnID) { b.does("stop", map[string]any{"id": turn}, nil) }

// seen is a turn as the page shows it.
type seen struct{ Prompt, Answer, Badge, Ending string }

func (b *browser) readTurn(id bellcord.TurnID) (shown seen) {
	b.does("look", map[string]any{"id": id}, &shown)
	return shown
}

func (b *browser) streams(t turn) bool {
	shown := b.readTurn(t.id)
	return strings.Contains(shown.Prompt, t.text) && strings.Contains(shown.Answer, "word3") && shown.Badge == ""
}

func (b *browser) ending(t turn) string {
	if shown := b.readTurn(t.id); shown.Badge == "Stopped" {
		return strings.Join(strings.Fields(shown.Ending), " ")
	}
	return ""
}
