package wire_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func TestJournal_UnhandledUpdates_AreRedeliveredInOrderBeforeNewOnes(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		s.sendTexts(anna, "one", "two", "three")
		s.expectReceived(e, "one", "two", "three")
		s.handled(b, e.updates()[1])
		e.hang()
		s.killed()
		s.must(s.bot().Close()) // rewrites the journal
		s.sendTexts(anna, "new")
		next := s.bot()
		again := s.poll(next)
		s.expectReceived(again, "one", "three", "new")
		s.handled(next, again.updates()...)
		again.hang()
		s.killed()
		last := s.poll(s.bot())
		s.sendTexts(anna, "newer")
		s.expectReceived(last, "newer")
		last.hang()
	})
}

func TestJournal_Restart_KeepsTheTimeOfArrival(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		s.sendTexts(anna, "hello")
		if err := b.Draft(s.Context(), wire.Draft{Place: wire.Place{Chat: anna}, ID: 9, Text: "…", Stop: true}); err != nil {
			s.Fatal(err)
		}
		if err := s.PressStop(anna); err != nil {
			s.Fatal(err)
		}
		e := s.poll(b)
		synctest.Wait()
		first := e.updates()
		e.hang()
		s.killed()
		rest(time.Hour)
		again := s.poll(s.bot())
		synctest.Wait()
		same(s, again.updates(), first)
		again.hang()
	})
}

// unconfirmed loses every poll that would confirm updates.
func unconfirmed(c fakegram.Call) fakegram.Weather {
	return fakegram.Weather{LoseCall: c.Method == "getUpdates" && c.Params["offset"] != "1"}
}

// A process that ends after writing the journal and before its next poll has
// confirmed nothing: Telegram repeats all updates, handled or not.
func TestJournal_TelegramRepeatsUpdates_DeliversThemOnce(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(unconfirmed)
		s.sendTexts(anna, "one", "two")
		b := s.bot()
		e := s.poll(b)
		s.expectReceived(e, "one", "two")
		s.handled(b, e.updates()[0])
		e.hang()
		s.killed()
		s.must(s.bot().Close()) // rewrites the journal
		s.Storm(nil)
		next := s.bot()
		again := s.poll(next)
		s.expectReceived(again, "two")
		s.sendTexts(anna, "three")
		s.expectReceived(again, "two", "three")
		again.hang()
	})
}

func TestJournal_TornLine_IsDroppedAndSentAgain(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(unconfirmed)
		s.sendTexts(anna, "one", "two")
		e := s.poll(s.bot())
		s.expectReceived(e, "one", "two")
		e.hang()
		content := s.onDisk()
		second := strings.Index(content, "\n") + 1
		for cut := second; cut < len(content); cut += 7 {
			s.killedWith(content[:cut])
			again := s.poll(s.bot())
			s.expectReceived(again, "one", "two")
			again.hang()
		}
		for _, noise := range []string{"\x00\x00\x00\x00", "{\"handled\":[70", "\n\n", "null\n", "{}\n[]\n7\n"} {
			s.killedWith(content + noise)
			again := s.poll(s.bot())
			s.expectReceived(again, "one", "two")
			again.hang()
		}
	})
}

func TestJournal_HandledMarkLost_RedeliversTheUpdate(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		s.sendTexts(anna, "one", "two")
		s.expectReceived(e, "one", "two")
		before := s.onDisk()
		s.handled(b, e.updates()...)
		e.hang()
		after := s.onDisk()
		for cut := len(before); cut <= len(after); cut++ {
			s.killedWith(after[:cut])
			var want []string
			for i, text := range []string{"one", "two"} {
				if !strings.Contains(after[:cut], fmt.Sprintf(`{"handled":[%d]}`, 700_001+i)) {
					want = append(want, text)
				}
			}
			again := s.poll(s.bot())
			s.expectReceived(again, want...)
			again.hang()
		}
	})
}

func TestJournal_KilledDuringRewrite_LosesNothing(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		e := s.poll(s.bot())
		s.sendTexts(anna, "one")
		s.expectReceived(e, "one")
		e.hang()
		s.killed()
		if err := os.WriteFile(s.journal()+".new", []byte(`{"at":17`), 0o600); err != nil {
			s.Fatal(err)
		}
		again := s.poll(s.bot())
		s.expectReceived(again, "one")
		again.hang()
	})
}

func TestJournal_ManyHandledUpdates_StaysSmallAndKeepsWaitingOnes(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		s.sendTexts(anna, "waits")
		long := strings.Repeat("x", 4000)
		for n := range 7 {
			for range 50 {
				s.sendTexts(anna, long)
			}
			synctest.Wait()
			s.handled(b, e.updates()[1+50*n:]...)
		}
		e.hang()
		if size, total := len(s.onDisk()), 7*50*len(long); size > total/2 {
			s.Errorf("it has %d bytes of %d", size, total)
		}
		s.killed()
		again := s.poll(s.bot())
		s.expectReceived(again, "waits")
		again.hang()
		if size := len(s.onDisk()); size > 16<<10 {
			s.Errorf("%d bytes are left", size)
		}
	})
}

func TestJournal_MoreMarksThanRemembered_AllStayHandled(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		const many = 1200
		var lines, marks strings.Builder
		for n := range many {
			fmt.Fprintf(&lines, `{"at":1,"update":{"update_id":%d,"message":{"message_id":1,"date":1,"text":"x","from":{"id":1001},"chat":{"id":1001,"type":"private"}}}}`+"\n", n+1)
			fmt.Fprintf(&marks, `{"handled":[%d]}`+"\n", n+1)
		}
		s.killedWith(lines.String() + marks.String())
		again := s.poll(s.bot())
		s.expectReceived(again)
		again.hang()
		s.killedWith(lines.String())
		all := s.poll(s.bot())
		synctest.Wait()
		if n := len(all.updates()); n != many { // checks that the lines are valid
			s.Errorf("%d are there without the marks", n)
		}
		all.hang()
	})
}

func TestHandled_ConcurrentAndRepeated_WritesOneMark(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		for n := range 20 {
			s.sendTexts(anna, fmt.Sprint(n))
		}
		synctest.Wait()
		var all sync.WaitGroup
		for range 3 {
			for _, u := range e.updates() {
				all.Go(func() { s.handled(b, u) })
			}
		}
		s.handled(b, wire.Update{ID: 5}) // never received
		all.Wait()
		e.hang()
		if n := strings.Count(s.onDisk(), "handled"); n != 20 {
			s.Errorf("%d marks", n)
		}
		s.killed()
		again := s.poll(s.bot())
		s.expectReceived(again)
		again.hang()
	})
}

func TestNew_JournalInUse_Fails(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		if second, err := wire.New(wire.Config{Token: "1:TEST", Dir: s.dir}); err == nil {
			s.Errorf("a second one has it, too: %v", second.Close())
		}
		other, err := wire.New(wire.Config{Token: "2:TEST", Dir: s.dir}) // another bot has another journal
		s.must(err)
		s.must(other.Close())
		e := s.poll(b)
		s.sendTexts(anna, "one")
		s.expectReceived(e, "one")
		e.hang()
		s.must(b.Close())
		s.must(b.Close())
		again := s.poll(s.bot())
		s.expectReceived(again, "one")
		again.hang()
	})
}

func TestJournal_NewDirectory_IsPrivateToTheUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has no modes")
	}
	onStage(t, func(s *stage) {
		s.dir += "/made/here"
		s.bot()
		for path, want := range map[string]os.FileMode{s.dir: 0o700, s.journal(): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				s.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	})
}
