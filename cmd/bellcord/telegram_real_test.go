//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	chatTries = flag.Int("n", 2, "how often an answer is cleared in a chat, and how often one is stopped, for each agent")
	chatSeed  = flag.Uint64("seed", 0, "for the moments of clears and stops in chats; 0 picks one")
)

const (
	slowWords    = 60 // in a second and a half
	slowPrompt   = "[slow 60 25ms] try %d"
	latest       = 1500 * time.Millisecond
	clearedWords = "🧹 Cleared. Your next message starts a new conversation."
)

// never matches texts that must not appear in a chat after a stop.
var never = regexp.MustCompile(`(?i)crash|error|exited|went wrong|lost`)

// Laws 2, 15 and 23 in a chat, with real processes: bellcord serve, its agents, and a fake Telegram
// that records every broken rule.
func TestLaw23_ClearOrStopAtAnyMoment_LeavesChatConsistent(t *testing.T) {
	t.Parallel()
	t.Run("our own agent", func(t *testing.T) {
		t.Parallel()
		ring(t, "", *chatTries, 30)
	})
	for _, version := range []struct {
		name  string
		tries int
	}{
		{"pi-1.5.0", *chatTries},
		{"pi-0.74.2", min(*chatTries, 60)}, // limited, because each clear starts node again
	} {
		t.Run(version.name, func(t *testing.T) {
			t.Parallel()
			agents := os.Getenv("BELLCORD_AGENTS")
			if agents == "" {
				missing(t, version.name+", where BELLCORD_AGENTS says,")
			}
			ring(t, filepath.Join(agents, "bin", version.name), version.tries, 12)
		})
	}
}

// ring makes all people clear and stop answers at the same time, and logs the results.
func ring(t *testing.T, pi string, tries, people int) {
	t.Helper()
	w := newChatWorld(t, pi, min(people, 2*tries))
	seed := *chatSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed %d", seed)
	work := make(chan int, 2*tries)
	for n := range 2 * tries {
		work <- n
	}
	close(work)
	var all sync.WaitGroup
	var mu sync.Mutex
	good := map[string]int{}
	for i, person := range w.people {
		all.Go(func() {
			if err := w.warm(person); err != nil {
				t.Errorf("ringer %d: %v", i, err)
				return
			}
			for n := range work {
				verb := []string{"/clear", "/stop"}[n%2]
				after := time.Duration(rand.New(rand.NewPCG(seed, uint64(n))).Int64N(int64(latest)))
				if err := w.try(person, n, verb, after); err != nil {
					t.Errorf("try %d, %s after %v: %v", n, verb, after, err)
					continue
				}
				mu.Lock()
				good[verb]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if kin := w.kin(); len(kin) > 1+3*len(w.people) { // pi is node and its launcher, in a sandbox
		t.Errorf("%d people have %d processes: %q", len(w.people), len(kin), kin)
	}
	left, broken := w.leave()
	t.Logf("clear: %d of %d, stop: %d of %d, %d violations, %d processes left", good["/clear"], tries, good["/stop"], tries, broken, left)
}

// warm starts a person's agent, so that try interrupts an answer and not the agent's start.
func (w *chatWorld) warm(person int64) error {
	if _, err := w.gram.Say(person, person, "[say Hello.]"); err != nil {
		return err
	}
	return w.until(person, 0, func(texts []string) bool { return slices.Contains(texts, "Hello.") })
}

// try clears or stops an answer after the given time, and then sends another prompt.
func (w *chatWorld) try(person int64, n int, verb string, moment time.Duration) error {
	sent, err := w.gram.Say(person, person, fmt.Sprintf(slowPrompt, n))
	if err != nil {
		return err
	}
	<-time.After(moment)
	_, shown := w.bot(person, sent.ID)
	if _, err := w.gram.Say(person, person, verb); err != nil {
		return err
	}
	over := func(texts []string) bool { return slices.Contains(texts, clearedWords) }
	if verb == "/stop" {
		over = func(texts []string) bool { return len(texts) > 0 }
	}
	if err := w.until(person, sent.ID, over); err != nil {
		return err
	}
	next := fmt.Sprintf("Here I am, %d.", n)
	if _, err := w.gram.Say(person, person, "[say "+next+"]"); err != nil {
		return err
	}
	if err := w.until(person, sent.ID, func(texts []string) bool { return slices.Contains(texts, next) }); err != nil {
		return err
	}
	texts, draft := w.bot(person, sent.ID)
	if draft != "" {
		return fmt.Errorf("the draft %q is left", draft)
	}
	if verb == "/clear" {
		return clearedWell(texts, next)
	}
	return stoppedWell(texts, next, shown)
}

// wholeAnswer returns the complete answer to slowPrompt.
func wholeAnswer() string {
	var words []string
	for n := range slowWords {
		words = append(words, fmt.Sprintf("word%d", n+1))
	}
	return strings.Join(words, " ")
}

// clearedWell checks the chat after a clear: it shows nothing of the answer, or all of it if it was
// complete before the clear.
func clearedWell(texts []string, next string) error {
	rest := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		return text == clearedWords || text == next || strings.HasPrefix(text, wholeAnswer())
	})
	if len(rest) > 0 || len(texts) > 3 || never.MatchString(strings.Join(texts, "\n")) {
		return fmt.Errorf("the chat shows %q", texts)
	}
	return nil
}

// stoppedWell checks the chat after a stop: it shows at least the text that had been shown and that
// the turn was stopped, or else the complete answer.
func stoppedWell(texts []string, next, shown string) error {
	answer := texts[0]
	kept, _, stopped := strings.Cut(answer, "⏹ Stopped")
	kept = strings.TrimSpace(kept)
	switch {
	case never.MatchString(strings.Join(texts, "\n")):
		return fmt.Errorf("the chat shows %q", texts)
	case !stopped && !strings.HasPrefix(answer, wholeAnswer()):
		return fmt.Errorf("neither stopped nor whole: %q", texts)
	case stopped && (!strings.HasPrefix(wholeAnswer(), kept) || !strings.HasPrefix(kept, shown)):
		return fmt.Errorf("%q was shown, %q is kept", shown, kept)
	case texts[len(texts)-1] != next:
		return errors.New("the next answer is not the last: " + strings.Join(texts, "\n"))
	case len(texts) > 2 && (stopped || texts[1] != "Nothing is running."):
		return fmt.Errorf("the chat shows %q", texts)
	}
	return nil
}
