package pi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
)

// forkBound is how long a fork may take. It does not depend on the client: pi
// must return to its session.
const forkBound = 30 * time.Second

// errRunning is returned for a fork during a turn: pi would end the run.
var errRunning = errors.New("pi cannot fork its session while a turn is running: wait for the end of the turn, or stop it")

// fork copies pi's session and returns the id of the copy. Pi enters the copy,
// so it is sent back to its session. A prompt waits in the meantime.
func (s *speaker) fork(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-s.session:
	default:
		return nil, errRunning
	}
	defer s.release()
	if s.astray {
		return nil, errAstray
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), forkBound)
	defer done()
	before, err := s.state(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading pi's session: %w", err)
	case before.busy():
		return nil, errRunning
	case before.SessionFile == "":
		return nil, errors.New("pi does not store its sessions: there is nothing to fork")
	}
	s.settings.setAway(true)
	defer s.settings.setAway(false)
	if _, err := s.request(ctx, "clone", nil); err != nil {
		s.astray = !refused(err) // a refusal leaves pi in its session
		return nil, fmt.Errorf("pi cannot fork its session: %w", err)
	}
	forked, err := s.state(ctx)
	if back := s.goBack(ctx, before); back != nil {
		s.astray = true
		return nil, fmt.Errorf("returning to pi's session: %w", back)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the fork of pi's session: %w", err)
	case forked.SessionFile == before.SessionFile || forked.SessionFile == "":
		return nil, errors.New("pi did not fork its session: an extension may have prevented it")
	}
	return acp.Encode(acp.NewSessionResponse{SessionID: forked.SessionFile}), nil
}

// goBack switches pi to a session, with the model and the thinking level that it
// had: pi may use those of its command line again.
func (s *speaker) goBack(ctx context.Context, to state) error {
	if _, err := s.request(ctx, "switch_session", map[string]any{"sessionPath": to.SessionFile}); err != nil {
		return err
	}
	now, err := s.state(ctx)
	if err == nil && now.Model != to.Model && to.Model.ID != "" {
		err = s.setModel(ctx, to.Model)
	}
	if err == nil && to.ThinkingLevel != "" {
		err = s.setLevel(ctx, to.ThinkingLevel)
	}
	if err == nil && now.SessionFile != to.SessionFile {
		err = fmt.Errorf("pi is in %s", now.SessionFile)
	}
	return err
}

// errAstray is returned when pi is in another session. A new process resumes the
// right one.
var errAstray = errors.New("pi is in another session after a fork that failed")
