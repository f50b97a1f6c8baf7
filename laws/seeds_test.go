package laws_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// CI asks for 100; a few keep the suite quick.
var seeds = flag.Int("seeds", 3, "conversations per cut point")

// Law 21, by chance: conversations of all kinds, one after the other in one
// session, each cut somewhere near a cut point. The strict model must accept
// every next prompt.
func TestLaw21_RandomConversationsAreAcceptedAfterEveryCut(t *testing.T) {
	t.Parallel()
	earlier := []string{
		"hello", "[think 3][say hm]", `[say so][tool quick {}]`, `[tool quick {}][tool quick {}][then [tool quick {}]]`,
		"[badargs quick]", `[tool nosuch {}]`, "[length][fast 5]", "[cut after 2]", "[nousage][fast 3]",
	}
	for i, c := range cuts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			onStage(t, func(s *stage) {
				for seed := range *seeds {
					if seed%10 == 9 {
						s.freshSession()
					}
					chance := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
					for range chance.IntN(3) {
						<-s.send("", earlier[chance.IntN(len(earlier))]).Settled()
					}
					later := c
					later.reach = func(s *stage, id bellcord.TurnID, p string) {
						if c.reach != nil {
							c.reach(s, id, fmt.Sprintf("%s seed %d", p, seed))
						}
						if c.end == "" && c.late == nil {
							<-time.After(time.Duration(chance.IntN(200)) * time.Millisecond)
						}
					}
					s.stopAt(later)
					s.done(fmt.Sprintf("and now, %d?", seed))
				}
				if r := s.model.Rejections(); len(r) > 0 {
					s.t.Errorf("rejected %d: %v", len(r), r[0])
				}
				requests = len(s.model.Requests())
			})
			t.Logf("%d seeds, %d requests, 0 rejected", *seeds, requests)
		})
	}
}

// Law 21, byte by byte: a recorded answer with thinking, text and two calls is
// cut after every single byte; whatever was left is accepted with the next prompt.
func TestLaw21_AStreamCutAfterAnyByteIsAcceptedWithTheNextPrompt(t *testing.T) {
	t.Parallel()
	const script = `[think 2][say Café, 世界][tool quick {"a":"é"}][tool quick {"b":{"c":[1]}}]`
	stride := 37 // of the bytes; all of them when CI asks
	if *seeds >= 100 {
		stride = 1
	}
	cuts := 0
	onStage(t, func(s *stage) {
		<-s.send("", "[bytes cut 1000000]"+script).Settled()
		for n := 0; ; n += stride {
			if n/stride%20 == 19 {
				s.freshSession()
			}
			turn := s.send("", fmt.Sprintf("[bytes cut %d]%s", n, script))
			<-turn.Settled()
			s.done("and now?")
			cuts++
			if turn.Receipt().End == bellcord.Done { // the whole answer got through
				break
			}
		}
		if r := s.model.Rejections(); len(r) > 0 {
			s.t.Errorf("rejected %d: %v", len(r), r[0])
		}
	})
	t.Logf("%d cuts, 0 rejected", cuts)
}

// freshSession goes on in a new session, with its own viewer.
func (s *stage) freshSession() {
	s.t.Helper()
	made, err := s.NewSession(s.t.Context(), bellcord.Session{Dir: s.t.TempDir(), Model: "openai/fake"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.session, s.seen = made.ID, nil
	s.mu.Unlock()
	s.viewing.Go(func() { s.view(made.ID) })
}
