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
	"github.com/bellcord/bellcord/store"
)

// Law 5 in a crowd: the bot has more to send than Telegram accepts, then
// Telegram rate limits the bot for a minute. Stops must not wait for either.
func TestLaw05_OutboxFullOrRateLimited_StopsImmediately(t *testing.T) {
	t.Parallel()
	crowd, users := map[int64]string{}, map[string]int64{}
	for n := range int64(60) {
		name := fmt.Sprintf("ringer%d", n)
		crowd[2000+n], users[name] = name, 2000+n
	}
	onStage(t, func(with *setup) { with.rights.Users = users }, func(s *stage) {
		people := slices.Sorted(maps.Keys(crowd))
		for _, user := range people {
			s.gram.AddPerson(fakegram.User{ID: user, FirstName: crowd[user]})
			_, err := s.gram.Say(user, user, "slow 2000")
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
		for _, user := range people {
			_, err := s.gram.Say(user, user, "/stop")
			s.must(err)
		}
		requested := time.Now()
		synctest.Wait()
		if left, err := s.hub.UnendedTurns(s.Context(), ""); err != nil || len(left) > 0 {
			t.Errorf("%d turns go on, %v", len(left), err)
		}
		s.deliveredAt(requested, people, crowd)
		s.gram.Storm(nil)
		s.pass(5 * time.Minute)
		for _, user := range people {
			if got := s.last(user).Text; !strings.HasPrefix(got, "word0 word1 ") || !strings.Contains(got, "⏹ Stopped · 15 s") {
				t.Errorf("the chat ends with %q", got)
			}
		}
	})
}

// deliveredAt asserts that the turn of each person was stopped, and had settled, at
// the given time.
func (s *stage) deliveredAt(requested time.Time, people []int64, names map[int64]string) {
	s.Helper()
	for _, user := range people {
		all, err := s.hub.Sessions(s.Context(), store.SessionQuery{Owner: names[user]})
		s.must(err)
		events, err := s.store.Events(s.Context(), all[0].ID, 0, 1<<20)
		s.must(err)
		end, is := events[len(events)-1].Body.(bellcord.TurnEnded)
		if !is || end.Receipt.End != bellcord.EndStopped || !end.Receipt.Times.Settled.Equal(requested) {
			s.Errorf("%s: %+v", names[user], events[len(events)-1].Body)
		}
	}
}
