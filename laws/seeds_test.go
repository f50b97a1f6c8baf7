package laws_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// CI runs 100; the default keeps the suite fast.
var seeds = flag.Int("seeds", 3, "conversations per cut point")

// Law 21 with random conversations: conversations of all kinds, one after the
// other in one session, each cut near a cut point. The strict model must accept
// every next prompt.
func TestLaw21_RandomConversations_AreAcceptedAfterEveryCut(t *testing.T) {
	t.Parallel()
	earlier := []string{
		"hello", "[think 3][say hm]", `[say so][tool quick {}]`, `[tool quick {}][tool quick {}][then [tool quick {}]]`,
		"[badargs quick]", `[tool nosuch {}]`, "[length][fast 5]", "[cut after 2]", "[nousage][fast 3]",
	}
	for i, c := range cuts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			onStageIn(t, formats[i%len(formats)], func(s *stage) {
				for seed := range *seeds {
					if seed%10 == 9 {
						s.freshSession()
					}
					chance := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
					for range chance.IntN(3) {
						s.useFormat(formats[chance.IntN(len(formats))])
						<-s.send("", earlier[chance.IntN(len(earlier))]).Settled()
					}
					s.useFormat(formats[chance.IntN(len(formats))])
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

// freshSession continues in a new session with its own viewer.
func (s *stage) freshSession() {
	s.t.Helper()
	made, err := s.NewSession(s.t.Context(), bellcord.Session{Dir: s.t.TempDir(), Model: s.format + "/fake"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.session, s.seen = made.ID, nil
	s.mu.Unlock()
	s.viewing.Go(func() { s.view(made.ID) })
}
