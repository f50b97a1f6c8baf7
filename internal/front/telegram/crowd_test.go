package telegram_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// Law 5 in a crowd: the bot has more to send than Telegram accepts, then
// Telegram rate limits the bot for a minute. Stops must not wait for either.
func TestLaw05_OutboxFullOrRateLimited_StopsImmediately(t *testing.T) {
	t.Parallel()
	crowd := map[int64]string{}
	for n := range int64(60) {
		crowd[2000+n] = fmt.Sprintf("ringer%d", n)
	}
	onStage(t, func(with *setup) { with.rights.People = crowd }, func(s *stage) {
		people := slices.Sorted(maps.Keys(crowd))
		for _, who := range people {
			s.gram.AddPerson(fakegram.User{ID: who, FirstName: crowd[who]})
			_, err := s.gram.Say(who, who, "slow 2000")
			s.must(err)
		}
		s.pass(10 * time.Second)
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Chat == people[0] || c.Chat == people[1] {
				return fakegram.Weather{RetryAfter: 60}
			}
			return fakegram.Weather{}
		})
		s.pass(5 * time.Second)
		for _, who := range people {
			_, err := s.gram.Say(who, who, "/stop")
			s.must(err)
		}
		asked := time.Now()
		synctest.Wait()
		if left, err := s.hub.UnendedTurns(s.Context(), ""); err != nil || len(left) > 0 {
			t.Errorf("%d turns go on, %v", len(left), err)
		}
		s.deliveredAt(asked, people, crowd)
		s.gram.Storm(nil)
		s.pass(5 * time.Minute)
		for _, who := range people {
			if got := s.last(who).Text; !strings.HasPrefix(got, "word0 word1 ") || !strings.Contains(got, "⏹ Stopped · 15 s") {
				t.Errorf("the chat ends with %q", got)
			}
		}
	})
}

// deliveredAt asserts that the turn of each person was stopped, and had settled, at
// the given time.
func (s *stage) deliveredAt(asked time.Time, people []int64, names map[int64]string) {
	s.Helper()
	for _, who := range people {
		all, err := s.hub.Sessions(s.Context(), bellcord.SessionQuery{Owner: names[who]})
		s.must(err)
		events, err := s.store.Events(s.Context(), all[0].ID, 0, 1<<20)
		s.must(err)
		end, is := events[len(events)-1].Body.(bellcord.TurnEnded)
		if !is || end.Receipt.End != bellcord.EndStopped || !end.Receipt.Times.Settled.Equal(asked) {
			s.Errorf("%s: %+v", names[who], events[len(events)-1].Body)
		}
	}
}
