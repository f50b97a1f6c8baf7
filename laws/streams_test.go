package laws_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm/rules"
)

// CI cuts at every byte and 10,000 times at random; the defaults keep the suite
// fast.
var (
	stride = flag.Int("stride", 397, "bytes between the cuts of a recorded stream")
	chance = flag.Int("chance", 100, "random cuts of streams")
)

// streams lists the answers that are cut after every byte.
var streams = map[string]string{
	"text":           `[say Café, 世界: 🔔]`,
	"thinking":       `[think 2][say Café]`,
	"one tool":       `[think 1][say so][tool quick {"a":"é"}]`,
	"parallel tools": `[think 1][tool quick {"a":"é"}][tool quick {"b":{"c":[1]}}]`,
}

// Law 21, byte by byte: an answer is stopped after each received byte. The
// remaining history is accepted with the next prompt by the same model and by
// models of other providers, and satisfies every provider's rules.
func TestLaw21_StopAfterAnyByte_LeavesHistoryThatAllFormatsAccept(t *testing.T) {
	t.Parallel()
	for i, format := range formats {
		for name, script := range streams {
			t.Run(format+"/"+name, func(t *testing.T) {
				t.Parallel()
				stops := 0
				onStageIn(t, format, func(s *stage) {
					for n := 0; s.stoppedAfter(n, script); n += *stride {
						stops++
						s.keepsTheRules()
						s.useFormat(formats[(i+stops)%len(formats)])
						s.done("and now?")
						s.useFormat(format)
						if stops%8 == 7 {
							s.freshSession()
						}
					}
					if r := s.model.Rejections(); len(r) > 0 {
						s.t.Errorf("rejected %d: %v", len(r), r[0])
					}
				})
				t.Logf("%d stops, 0 rejected", stops)
			})
		}
	}
}

// stoppedAfter stops an answer after n received bytes and reports whether that
// was before its end.
func (s *stage) stoppedAfter(n int, script string) bool {
	s.t.Helper()
	turn := s.send("", fmt.Sprintf("[bytes hang %d]%s", n, script))
	synctest.Wait()
	s.Stop(bellcord.StopTurn(turn.ID, by))
	<-turn.Settled()
	return turn.Receipt().End == bellcord.EndStopped
}

// useFormat switches the session's next turn to another wire format.
func (s *stage) useFormat(format string) {
	s.t.Helper()
	if _, err := s.Configure(s.session, bellcord.SessionUpdated{Model: format + "/fake"}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) keepsTheRules() {
	s.t.Helper()
	next := append(s.history(), bellcord.Message{Role: bellcord.RoleUser, Text: "and now?"})
	for name, rule := range rules.All {
		if err := rule(next); err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
}

// Law 21 from the server's side: the stream ends without an error after any
// byte.
func TestLaw21_StreamCutAfterAnyByte_NextPromptIsAccepted(t *testing.T) {
	t.Parallel()
	const script = `[think 2][say Café, 世界][tool quick {"a":"é"}][tool quick {"b":{"c":[1]}}]`
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			cuts := 0
			onStageIn(t, format, func(s *stage) {
				for n := 0; ; n += 5 * *stride { // the previous test cuts at every byte
					turn := s.send("", fmt.Sprintf("[bytes cut %d]%s", n, script))
					<-turn.Settled()
					s.done("and now?")
					if cuts++; cuts%8 == 7 {
						s.freshSession()
					}
					if turn.Receipt().End == bellcord.EndDone { // the whole answer arrived
						break
					}
				}
				if r := s.model.Rejections(); len(r) > 0 {
					s.t.Errorf("rejected %d: %v", len(r), r[0])
				}
			})
			t.Logf("%d cuts, 0 rejected", cuts)
		})
	}
}

// Law 23 at random cuts: the part of an answer that was shown to a client is
// exactly what is stored, and a prefix of what the model sent.
func TestLaw23_StreamedText_EqualsStoredTextAtAnyCut(t *testing.T) {
	t.Parallel()
	for i, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			shown := 0
			onStageIn(t, format, func(s *stage) {
				chances := rand.New(rand.NewPCG(42, uint64(i)))
				for n := range *chance / len(formats) {
					script := []string{"[fast 60]", "[think 20][fast 30]", "[say Grüße, 世界 🔔 ok]", `[fast 9][tool quick {"a":"é"}]`}[chances.IntN(4)]
					base := len(s.model.Requests())
					s.stoppedAfter(chances.IntN(6000), script)
					shown += s.shownIsStored(base)
					if n%50 == 49 {
						s.freshSession()
					}
				}
			})
			t.Logf("%d cuts, %d characters shown, 0 lost", *chance/len(formats), shown)
		})
	}
}

// shownIsStored compares what the viewer received of the last turn with the
// store and with what the model sent.
func (s *stage) shownIsStored(base int) int {
	s.t.Helper()
	synctest.Wait()
	s.mu.Lock()
	seen := s.seen
	s.mu.Unlock()
	id := seen[len(seen)-1].Turn
	var shown, stored strings.Builder
	for _, ev := range seen {
		if ev.Turn == id {
			words(&shown, ev.Body)
		}
	}
	for _, b := range s.bodies(id) {
		words(&stored, b)
	}
	if shown.String() != stored.String() {
		s.t.Errorf("shown %q, stored %q", shown.String(), stored.String())
	}
	var sent strings.Builder
	for _, r := range s.model.Requests()[base:] {
		sent.WriteString(r.Sent)
	}
	if text := s.textOf(id); !strings.HasPrefix(sent.String(), text) {
		s.t.Errorf("stored %q, the model sent %q", text, sent.String())
	}
	return shown.Len()
}

func words(to *strings.Builder, b bellcord.Body) {
	switch b := b.(type) {
	case bellcord.TextDelta:
		to.WriteString("\x00said " + b.Text)
	case bellcord.ThinkingDelta:
		to.WriteString("\x00thought " + b.Text)
	}
}

// Laws 21 and 23 for thinking: thinking that was signed before the stop is sent
// back to the model that signed it and to no other; unsigned thinking is left
// out.
func TestLaw21_SignedThinking_IsSentBackOnlyToItsModel(t *testing.T) {
	t.Parallel()
	for format, seal := range map[string]string{"anthropic": `"signature":`, "responses": `"encrypted_content":`, "gemini": `"thoughtSignature":`} {
		for name, c := range map[string]struct {
			prompt string
			until  func(bellcord.Body) bool
			sealed bool
		}{
			"stopped in the text behind it": {"[think 3][hang after 2]", emittedText("word2"), true},
			"stopped in the thinking":       {"[think 50 20ms]", kind[bellcord.ThinkingDelta], false},
		} {
			if format == "gemini" {
				c.prompt = strings.Replace(c.prompt, "[hang after 2]", `[say word2][tool works {}]`, 1) // the model signs its calls
			}
			t.Run(format+"/"+name, func(t *testing.T) {
				t.Parallel()
				onStageIn(t, format, func(s *stage) {
					turn := s.send("", c.prompt)
					s.await(turn.ID, c.until)
					synctest.Wait()
					s.Stop(bellcord.StopTurn(turn.ID, by))
					<-turn.Settled()
					s.done("and now?")
					requests := s.model.Requests()
					if raw := string(requests[len(requests)-1].Raw); strings.Contains(raw, seal) != c.sealed {
						s.t.Errorf("its own model was told %s", raw)
					}
					s.useFormat("chat")
					s.done("and you?")
					if r := s.model.Rejections(); len(r) > 0 {
						s.t.Errorf("rejected: %v", r)
					}
				})
			})
		}
	}
}
