//go:build linux

package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

// life is a turn as stored in the database: its row and its events.
type life struct {
	id      bellcord.TurnID
	session bellcord.SessionID
	state   string
	text    string // text of the prompt
	stop    *bellcord.Cause
	receipt string // receipt in the row, as written

	prompted, started int
	ends              []bellcord.Receipt
	endSeq            int64
	startAt, endAt    time.Time
	stops             []bellcord.Cause // stops in the log, in order
	stopSeq           int64            // sequence number of the first stop
	output            string
}

// end returns the turn's end, "" if it has not ended.
func (l *life) end() bellcord.End {
	if len(l.ends) == 0 {
		return ""
	}
	return l.ends[0].End
}

func (l *life) String() string {
	if l == nil {
		return "nothing"
	}
	return fmt.Sprintf("turn %s of %s, %s, which ended %q: %q", l.id, l.session, l.state, l.end(), l.text)
}

// record is the content of the database.
type record struct {
	lives  map[bellcord.TurnID]*life
	logs   map[bellcord.SessionID][]bellcord.Event
	raw    map[bellcord.SessionID][]string // events in the form that viewers receive
	tails  map[bellcord.SessionID]int64
	events int
}

// readRecord reads the database. It uses no code of the product except the
// event types.
func readRecord(ctx context.Context, conn *pgx.Conn) (*record, error) {
	r := &record{
		lives: map[bellcord.TurnID]*life{}, logs: map[bellcord.SessionID][]bellcord.Event{},
		raw: map[bellcord.SessionID][]string{}, tails: map[bellcord.SessionID]int64{},
	}
	if err := r.readTurns(ctx, conn); err != nil {
		return nil, err
	}
	if err := r.readTails(ctx, conn); err != nil {
		return nil, err
	}
	return r, r.readEvents(ctx, conn)
}

func (r *record) readTurns(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT id, session, state, stop, coalesce(receipt, ''), prompt FROM turns LEFT JOIN prompts ON turn = id`)
	if err != nil {
		return err
	}
	var id, session, state, receipt, prompt string
	var stop *string
	_, err = pgx.ForEachRow(rows, []any{&id, &session, &state, &stop, &receipt, &prompt}, func() error {
		l := &life{id: bellcord.TurnID(id), session: bellcord.SessionID(session), state: state, receipt: receipt}
		r.lives[l.id] = l
		if stop != nil {
			if err := json.Unmarshal([]byte(*stop), &l.stop); err != nil {
				return err
			}
		}
		var decoded bellcord.Prompt
		err := json.Unmarshal([]byte(prompt), &decoded)
		l.text = decoded.Text
		return err
	})
	return err
}

func (r *record) readTails(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT session, last_seq FROM tails`)
	if err != nil {
		return err
	}
	var session string
	var last int64
	_, err = pgx.ForEachRow(rows, []any{&session, &last}, func() error {
		r.tails[bellcord.SessionID(session)] = last
		return nil
	})
	return err
}

func (r *record) readEvents(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT session, seq, turn, kind, at, body FROM events ORDER BY session, seq`)
	if err != nil {
		return err
	}
	var session, turn, kind string
	var seq, at int64
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&session, &seq, &turn, &kind, &at, &body}, func() error {
		decoded, err := bellcord.DecodeBody(kind, body)
		if err != nil {
			return err
		}
		ev := bellcord.Event{Session: bellcord.SessionID(session), Seq: seq, Turn: bellcord.TurnID(turn), Time: time.Unix(0, at), Body: decoded}
		shown, err := ev.MarshalJSON()
		r.logs[ev.Session] = append(r.logs[ev.Session], ev)
		r.raw[ev.Session] = append(r.raw[ev.Session], string(shown))
		r.events++
		return err
	})
	return err
}
