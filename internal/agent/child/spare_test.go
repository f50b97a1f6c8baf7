package child_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/proc"
)

// stuck is a Starter whose processes do not start before the test allows it.
type stuck struct{ began, fail chan struct{} }

func (s stuck) Start(proc.Command, []string) (*proc.Running, error) {
	close(s.began)
	<-s.fail
	return nil, errors.New("it did not start")
}

func TestPrepare_ProcessStartsSlowly_SessionsEndMeanwhile(t *testing.T) {
	t.Parallel()
	start := stuck{make(chan struct{}), make(chan struct{})}
	agent := &child.Agent{Keeper: start}
	prepared, ended := make(chan error), make(chan struct{})
	go func() { prepared <- agent.Prepare(t.TempDir()) }()
	<-start.began
	go func() {
		agent.End(bellcord.NewSessionID())
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the end of a session waits for the start of a process")
	}
	close(start.fail)
	if err := <-prepared; err == nil {
		t.Error("Prepare returned no error")
	}
}
