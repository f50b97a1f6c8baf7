package telegram_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// storm returns random rate limits, of up to a minute each, for calls to chats.
// The strict server reports calls that are made during a wait.
func storm(seed uint64, share float64) func(fakegram.Call) fakegram.Weather {
	chance := rand.New(rand.NewPCG(seed, 1))
	return func(c fakegram.Call) fakegram.Weather {
		if c.Chat == 0 || chance.Float64() > share {
			return fakegram.Weather{}
		}
		return fakegram.Weather{RetryAfter: 1 + chance.IntN(60)}
	}
}

func TestRateLimits_Random_EveryAnswerArrivesWholeAndNoCallIsTooEarly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.gram.Storm(storm(seed, 0.5))
				for n := range 5 {
					s.sendText(anna, fmt.Sprintf("say First %d.\ntool ls\nslow 30\nsay The end %d.", n, n))
					s.pass(12 * time.Minute)
				}
				var want []string
				for n := range 5 {
					want = append(want, fmt.Sprintf("First %d.", n), words(30)+fmt.Sprintf("The end %d.", n))
				}
				s.sees(anna, want...)
			})
		})
	}
}

func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

func TestRateLimits_Random_StopIsAppliedAtOnceAndShownLater(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(storm(7, 0.6))
		for range 5 {
			s.sendText(anna, "slow 300")
			s.pass(5 * time.Second)
			s.sendText(anna, "/stop")
			s.pass(time.Millisecond)
			if n := len(s.hub.Unsettled()); n != 0 {
				t.Fatalf("%d turns have not settled", n)
			}
			s.pass(12 * time.Minute)
			s.stopped(anna, "word0")
		}
	})
}

func TestRateLimits_Random_ClearDeletesTheWholeAnswer(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(storm(9, 0.6))
		for n := range 6 {
			s.sendText(anna, "say I look.\ntool ls\nsay And look.\ntool ls -l\nslow 100")
			s.pass(time.Duration(n) * time.Second)
			s.sendText(anna, "/clear")
			s.pass(12 * time.Minute)
			for _, text := range s.bot(anna) {
				if text != clearedText {
					t.Fatalf("try %d: %q is left", n, text)
				}
			}
		}
	})
}

func TestGroup_EditsRefused_FinalTextArrives(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "editMessageText" {
				return fakegram.Weather{Status: 400}
			}
			return fakegram.Weather{}
		})
		s.sendTextIn(group, anna, "@bellcord_bot slow 100\nsay The end.")
		s.pass(time.Minute)
		if got := s.last(group).Text; !strings.HasSuffix(got, "The end.") || !strings.HasPrefix(got, "word0") {
			t.Errorf("the group sees %q", s.bot(group))
		}
	})
}

func TestBrokenConnections_Random_LoseNoFinalText(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		chance := rand.New(rand.NewPCG(3, 3))
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Chat == 0 {
				return fakegram.Weather{}
			}
			switch chance.IntN(4) {
			case 0:
				return fakegram.Weather{LoseCall: true}
			case 1:
				return fakegram.Weather{Status: 502}
			}
			return fakegram.Weather{}
		})
		for n := range 5 {
			s.sendText(anna, fmt.Sprintf("slow 30\nsay The end %d.", n))
			s.pass(10 * time.Minute)
			s.sees(anna, func() (want []string) {
				for i := range n + 1 {
					want = append(want, words(30)+fmt.Sprintf("The end %d.", i))
				}
				return want
			}()...)
		}
	})
}
