package line_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// sluggish is a terminal that accepts one write for each value of let.
type sluggish struct {
	paper
	let chan error
}

func (s *sluggish) Write(p []byte) (int, error) {
	if err := <-s.let; err != nil {
		return 0, err
	}
	return s.paper.Write(p)
}

func TestOutput_TerminalAcceptsNothing_WriteDoesNotBlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		far := &sluggish{let: make(chan error)}
		out := line.NewOutput(far)
		if out.Behind() || !out.Drained(0) {
			t.Error("it is behind with nothing")
		}
		for _, text := range []string{"a", "b", "c"} {
			if _, err := out.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if !out.Behind() || out.Drained(time.Second) {
			t.Error("it has taken what nobody let it take")
		}
		far.let <- nil
		far.let <- nil
		synctest.Wait()
		if out.Behind() || !out.Drained(0) || far.String() != "abc" || len(out.Freed) != 1 {
			t.Errorf("it has %q, told %d times", far.String(), len(out.Freed))
		}
		<-out.Freed
		_, _ = out.Write([]byte("d"))
		far.let <- errors.New("gone")
		synctest.Wait()
		if _, err := out.Write([]byte("e")); err == nil || len(out.Freed) != 0 {
			t.Errorf("a terminal that is gone takes more: %v, told %d times", err, len(out.Freed))
		}
	})
}

func TestScreen_OutputBehind_HandlesKeysAndLosesNoText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		far := &sluggish{let: make(chan error)}
		s := raiseOn(ctx, "a", far)
		go s.log.add("a", prompted("go"), bellcord.TurnStarted{}, bellcord.TextDelta{Text: "one "}, bellcord.TextDelta{Text: "two "}, bellcord.TextDelta{Text: "three\n"})
		synctest.Wait()
		for range 2 { // the prompt, and the first words
			far.let <- nil
			synctest.Wait()
		}
		s.types("\x1b")
		<-time.After(time.Second)
		synctest.Wait()
		if got := s.requestLog(); got != "stop a now" {
			t.Errorf("asked for %q", got)
		}
		close(far.let)
		synctest.Wait()
		if text := far.String(); !strings.Contains(text, "one ") || !strings.Contains(text, "two ") || !strings.Contains(text, "three") {
			t.Errorf("shown %q", text)
		}
		leave()
		<-s.over
	})
}
