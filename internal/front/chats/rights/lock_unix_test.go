//go:build unix

package rights_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

func TestUnpair_LockHeldElsewhere_TimesOutWithoutBlockingReaders(t *testing.T) {
	t.Parallel()
	file := place(t)
	synctest.Test(t, func(t *testing.T) {
		l := open(t, rights.Config{File: file, Pairing: true})
		if _, err := l.Pair(requestCode(t, l, anna), "anna"); err != nil {
			t.Fatal(err)
		}
		held, err := os.OpenFile(file+".lock", os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		began, unpaired := time.Now(), make(chan error, 1)
		go func() { unpaired <- l.Unpair(anna) }()
		synctest.Wait() // until Unpair waits for the lock
		if name, ok := l.Person(anna); !ok || name != "anna" || time.Since(began) > 0 {
			t.Errorf("%q, %v, after %v", name, ok, time.Since(began))
		}
		if err := <-unpaired; err == nil || !strings.Contains(err.Error(), "another process") || time.Since(began) != 5*time.Second {
			t.Errorf("%v, after %v", err, time.Since(began))
		}
		held.Close()
		if err := l.Unpair(anna); err != nil {
			t.Error(err)
		}
	})
}
