package pi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

func TestFork_BetweenTurns_CopiesTheSessionAndReturns(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		seen := &viewer{}
		s.openSettings(seen)
		if _, err := s.ask(acp.UnstableForkSession, struct{}{}); err == nil || !strings.Contains(err.Error(), "has not been saved yet") {
			t.Errorf("an empty session: %v", err)
		}
		s.done("first")
		s.set("model", "fake/two")
		before := len(seen.all())
		reply, err := s.ask(acp.UnstableForkSession, struct{}{})
		var forked acp.NewSessionResponse
		if err != nil || json.Unmarshal([]byte(reply), &forked) != nil || !filepath.IsAbs(forked.SessionID) || forked.SessionID == s.hosted()[0] {
			t.Fatalf("%s, %v", reply, err)
		}
		if text, err := os.ReadFile(forked.SessionID); err != nil || !strings.Contains(string(text), "first") {
			t.Errorf("%s, %v", text, err)
		}
		if updates := seen.all()[before:]; len(updates) > 0 {
			t.Errorf("the client saw the fork's settings: %s", updates)
		}
		turn := s.prompt(bellcord.Prompt{Text: "history"})
		if r := s.end(turn); r.UsageByModel[0].Model != "fake/two" || textOf(s.bodies(turn.ID)) != "first|history" {
			t.Errorf("%+v, %q", r.UsageByModel, textOf(s.bodies(turn.ID)))
		}
		if text, _ := os.ReadFile(forked.SessionID); strings.Contains(string(text), "history") {
			t.Errorf("the fork has the next prompt: %s", text)
		}
	})
}

func TestFork_DuringATurn_IsRefusedAndDoesNotDisturbIt(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.done("first")
		turn := s.prompt(bellcord.Prompt{Text: "slow"})
		s.await(turn, kind[bellcord.TextDelta])
		if _, err := s.ask(acp.UnstableForkSession, struct{}{}); err == nil || !strings.Contains(err.Error(), "while a turn is running") {
			t.Errorf("%v", err)
		}
		s.stop(turn)
	})
}

func TestLaw02_StopWhilePiForks_SendsNoPrompt(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.done("lazy clone")
		var forks sync.WaitGroup
		var forked time.Time
		forks.Go(func() {
			if _, err := s.ask(acp.UnstableForkSession, struct{}{}); err != nil {
				t.Error(err)
			}
			forked = time.Now()
		})
		<-time.After(100 * time.Millisecond) // pi is cloning
		turn := s.prompt(bellcord.Prompt{Text: "not sent"})
		s.await(turn, kind[bellcord.TurnStarted])
		r := s.stop(turn)
		if text := s.done("history"); !strings.HasPrefix(text, "lazy clone|") || strings.Contains(text, "|not sent") { // it waits for the fork
			t.Errorf("%q", text)
		}
		forks.Wait()
		if !r.Times.Settled.Before(forked) {
			t.Errorf("the stop waited for the fork, which ended at %s: %+v", forked, r.Times)
		}
	})
}

func TestFork_PiCannotReturn_NewProcessResumesTheSession(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.done("no way back")
		if _, err := s.ask(acp.UnstableForkSession, struct{}{}); err == nil || !strings.Contains(err.Error(), "returning to pi's session") {
			t.Errorf("%v", err)
		}
		if r := s.run("not sent"); r.End != bellcord.EndFailed {
			t.Errorf("%s", r.End)
		}
		if text := s.done("history"); !strings.HasPrefix(text, "no way back|") || !strings.HasSuffix(text, "history") || len(s.hosted()) != 1 {
			t.Errorf("%q in %v", text, s.hosted())
		}
	})
}

func TestImport_Fork_RecordsItsConversation(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.done("first")
		reply, err := s.ask(acp.UnstableForkSession, struct{}{})
		var forked acp.NewSessionResponse
		if err != nil || json.Unmarshal([]byte(reply), &forked) != nil {
			t.Fatalf("%s, %v", reply, err)
		}
		if s.session, err = s.NewSession(t.Context(), bellcord.Session{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		turn := s.prompt(bellcord.Prompt{Task: bellcord.TaskImport, Text: forked.SessionID})
		if r := s.end(turn); r.End != bellcord.EndDone {
			t.Fatalf("%s %s", r.End, r.Error)
		}
		messages := of[bellcord.MessageImported](s.bodies(turn.ID))
		if len(messages) != 1 || messages[0].Text != "first" || textOf(s.bodies(turn.ID)) != "answer to first" {
			t.Errorf("%+v, %q", messages, textOf(s.bodies(turn.ID)))
		}
		if text := s.done("history"); text != "first|history" {
			t.Errorf("%q", text)
		}
	})
}

func TestImport_OtherFile_IsRefusedAndKept(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		other := filepath.Join(t.TempDir(), "notes.txt")
		write(t, other, "my notes\n")
		for _, own := range []string{other, other + ".gone", "relative", filepath.Dir(other)} {
			r := s.end(s.prompt(bellcord.Prompt{Task: bellcord.TaskImport, Text: own}))
			if r.End != bellcord.EndFailed || !strings.Contains(r.Error, "is not a session of pi") {
				t.Errorf("%s: %s %s", own, r.End, r.Error)
			}
		}
		if text, err := os.ReadFile(other); string(text) != "my notes\n" {
			t.Errorf("%q, %v", text, err)
		}
	})
}
