package sessionsearch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sessionsearch"
)

// A caller continues after the sessions that were searched, also if none of them matches.
func TestSearch_ReadFails_CountsTheSessionsBefore(t *testing.T) {
	t.Parallel()
	for _, fails := range []int{0, 1, 40, 99} {
		var sessions []bellcord.Session
		for i := range 100 {
			sessions = append(sessions, bellcord.Session{ID: bellcord.SessionID(fmt.Sprint(i))})
		}
		s := sessionsearch.New(failing(sessions[fails].ID), sessionsearch.Options{})
		found, searched, err := s.Search(t.Context(), sessions, "needle", 10)
		if !errors.Is(err, errRead) || searched != fails || len(found.Hits) != 0 {
			t.Errorf("session %d cannot be read: %d searched, %d hits, %v", fails, searched, len(found.Hits), err)
		}
	}
}

var errRead = errors.New("cannot be read")

// failing is a session whose texts cannot be read. Others have none.
type failing bellcord.SessionID

func (f failing) TextEvents(_ context.Context, id bellcord.SessionID, _ int) ([]bellcord.Event, error) {
	if id == bellcord.SessionID(f) {
		return nil, errRead
	}
	return nil, nil
}

func (failing) Tails(_ context.Context, sessions []bellcord.SessionID) ([]int64, error) {
	return make([]int64, len(sessions)), nil
}
