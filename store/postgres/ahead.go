package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
)

// ahead is what the first op of a batch asked the database for together with the
// locks, behind them in one round trip: most batches begin with appends, an end
// or a stop, and a stop is waited for. What is nil was not asked.
type ahead struct {
	stops map[bellcord.TurnID]*string // of appends: what advance returned
	ended *int64                      // of a finish: how many rows it changed
	turn  *turnRow                    // of a stop: its turn; with no id where there is none
	alone bool                        // there is no other op, so what it writes may wait for the commit
}

// ask has the first op's statement sent behind the locks.
func (t *tx) ask(b *pgx.Batch, ops []bellcord.Op) {
	t.ahead.alone = len(ops) == 1
	switch op := ops[0].(type) {
	case bellcord.AppendEvents:
		if n := together(ops); n > 0 {
			query, args := t.advancing(ops[:n])
			b.Queue(query, args...).Query(func(rows pgx.Rows) (err error) {
				t.ahead.stops, err = stopsOf(rows)
				return err
			})
		}
	case bellcord.FinishTurn:
		if receipt, err := encode(op.Receipt); err == nil {
			query, args := t.finishing(op, receipt)
			b.Queue(query, args...).Exec(func(tag pgconn.CommandTag) error {
				ended := tag.RowsAffected()
				t.ahead.ended = &ended
				return nil
			})
		}
	case bellcord.RecordStop:
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

// turnOf is turn for the stop of one, which may have been asked for ahead.
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
