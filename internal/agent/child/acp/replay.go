package acp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// methodReplayed is a request that no agent serves. Its response, an error,
// follows what the agent has written before.
const methodReplayed = "_bellcord/replayed"

// replayBound is how long an agent may take to reject methodReplayed. An agent
// that answers no unknown request is not waited for any longer.
const replayBound = 2 * time.Second

// awaitReplay waits until the agent has replayed a conversation. Some agents,
// gemini among them, respond to session/load first and send the rest of the
// replay afterwards, with nothing that marks its end. The replay is over when no
// update comes between a request and its response.
func (s *speaker) awaitReplay(ctx context.Context) {
	for {
		before := s.updates.Load()
		if !s.echoed(ctx) || s.updates.Load() == before {
			return
		}
	}
}

// echoed sends a request and reports whether the agent has responded to it.
func (s *speaker) echoed(ctx context.Context) bool {
	ctx, done := context.WithTimeout(ctx, replayBound) // for this request: it does not stop the turn
	defer done()
	var reply json.RawMessage
	var rejected *jsonrpc.Error
	err := s.wire.requestAndWait(ctx, methodReplayed, struct{}{}, &reply)
	return err == nil || errors.As(err, &rejected)
}
