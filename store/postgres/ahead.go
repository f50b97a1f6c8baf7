package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// ahead contains the results of the first op's statement, which is sent together
// with the locks to save a round trip. Most batches begin with an append, an end
// or a stop, and a stop has a waiting caller. A nil field was not requested.
type ahead struct {
	stops map[bellcord.TurnID]*string // for appends: the result of advance
	ended *int64                      // for a finish: the number of changed rows
	turn  *turnRow                    // for a stop: its turn, with an empty ID if it does not exist
	alone bool                        // the batch has no other op, so writes may be delayed until the commit
}

// queueFirst queues the first op's statement after the locks.
func (t *tx) queueFirst(b *pgx.Batch, ops []store.Op) {
	t.ahead.alone = len(ops) == 1
	switch op := ops[0].(type) {
	case store.AppendEvents:
		if n := together(ops); n > 0 {
			query, args := t.advancing(ops[:n])
			b.Queue(query, args...).Query(func(rows pgx.Rows) (err error) {
				t.ahead.stops, err = stopsOf(rows)
				return err
			})
		}
	case store.FinishTurn:
		if receipt, err := encode(op.Receipt); err == nil {
			query, args := t.finishing(op, receipt, withHead)
			b.Queue(query, args...).Exec(func(tag pgconn.CommandTag) error {
				ended := tag.RowsAffected()
				t.ahead.ended = &ended
				return nil
			})
		}
	case store.RecordStop:
		b.Queue(turnByID, word(op.Turn)).QueryRow(func(row pgx.Row) error {
			found, err := scanTurn(row)
			if errors.Is(err, bellcord.ErrNoTurn) {
				found, err = turnRow{}, nil
			}
			t.ahead.turn = &found
			return err
		})
	}
}

// turnOf returns the turn of a stop, from ahead if it has already been read.
func (t *tx) turnOf(id bellcord.TurnID) (turnRow, error) {
	found := t.ahead.turn
	if t.ahead.turn = nil; found == nil {
		return t.turn(id)
	}
	if found.ID == "" {
		return turnRow{}, bellcord.ErrNoTurn
	}
	return *found, nil
}
