package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sessionid"
	"github.com/bellcord/bellcord/store"
)

// FindReceipt returns the receipt of the turn, or of the last ended turn of the
// session, that an id or a part of it means; it resolves id as StopTarget does.
// If id is empty, it returns the receipt of the last turn that has ended.
func FindReceipt(ctx context.Context, at Backend, id string) (bellcord.Receipt, error) {
	if id == "" {
		return lastReceipt(ctx, at, "")
	}
	turn, session, err := findTarget(ctx, at, id, findAnyTurn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return bellcord.Receipt{}, fmt.Errorf("%s is neither a session nor a turn (bellcord sessions lists the sessions): %w", id, err)
	case err != nil:
		return bellcord.Receipt{}, err
	case session != "":
		return lastReceipt(ctx, at, session)
	}
	r, err := at.Receipt(ctx, turn)
	if err == nil && r == nil {
		err = fmt.Errorf("turn %s has not ended: stop it with bellcord stop %s, or wait", turn, turn)
	}
	if err != nil {
		return bellcord.Receipt{}, err
	}
	return *r, nil
}

func lastReceipt(ctx context.Context, at Backend, session bellcord.SessionID) (bellcord.Receipt, error) {
	found, err := at.Receipts(ctx, store.ReceiptQuery{Session: session, Limit: 1})
	switch {
	case err != nil:
		return bellcord.Receipt{}, err
	case len(found) > 0:
		return found[0], nil
	case session != "":
		return bellcord.Receipt{}, fmt.Errorf("no turn of session %s has ended", session)
	}
	return bellcord.Receipt{}, errors.New("no turn has ended; a receipt exists after the end of a turn, for example of bellcord run PROMPT")
}

// mostMatches is the number of receipts that are read to resolve a part of an id:
// a second match makes it ambiguous, the others are only counted.
const mostMatches = 100

// findAnyTurn is FindTurn for turns that have ended, too.
func findAnyTurn(ctx context.Context, at Backend, word string) (bellcord.TurnID, error) {
	turn, invalid := bellcord.ParseTurnID(word)
	if invalid == nil {
		return turn, nil
	}
	running, err := at.Turns(ctx)
	if err != nil {
		return "", err
	}
	found, err := at.Receipts(ctx, store.ReceiptQuery{Turn: sessionid.Part(word), Limit: mostMatches})
	if err != nil {
		return "", err
	}
	ids := idsOf(running)
	for _, r := range found {
		ids = append(ids, r.Turn)
	}
	return sessionid.ResolveTurn(word, ids)
}
