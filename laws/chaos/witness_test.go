//go:build linux

package chaos_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// The witness is a set of database triggers. It identifies the node by the name
// of its connection, checks every write of a turn in the transaction that makes
// it, and records:
//
//   - an event of a turn, other than a requested stop, written by a node
//     that does not have the turn at that time: a fenced node;
//   - a claim by a node that does not have the turn or has no lease;
//   - a turn that changes after it has ended, or moves to an earlier state.
//
// This detects a write that the fence should have rejected, even if it leaves
// the log consistent.
const witness = `
CREATE SCHEMA IF NOT EXISTS witness;
CREATE TABLE witness.lives (name TEXT, node TEXT PRIMARY KEY);
CREATE TABLE witness.notes (kind TEXT, what TEXT, at TIMESTAMPTZ DEFAULT clock_timestamp());

CREATE FUNCTION witness.who() RETURNS TEXT LANGUAGE sql STABLE AS
$$ SELECT node FROM witness.lives WHERE name = current_setting('application_name') $$;

CREATE FUNCTION witness.joins() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO witness.lives VALUES (current_setting('application_name'), NEW.id);
	RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER INSERT ON nodes FOR EACH ROW EXECUTE FUNCTION witness.joins();

CREATE FUNCTION witness.writes() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE owner TEXT;
BEGIN
	SELECT node INTO owner FROM public.turns WHERE id = NEW.turn;
	IF owner IS DISTINCT FROM witness.who() THEN
		INSERT INTO witness.notes VALUES ('a fenced node wrote', format('%s event %s of turn %s by %s, the turn is %s''s',
			NEW.kind, NEW.seq, NEW.turn, current_setting('application_name'), (SELECT name FROM witness.lives WHERE node = owner)));
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER INSERT ON events FOR EACH ROW
	WHEN (NEW.turn <> '' AND NEW.kind <> 'stop_requested') EXECUTE FUNCTION witness.writes();

CREATE FUNCTION witness.changes() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE until BIGINT;
BEGIN
	IF OLD.state = 'ended' OR NEW.fence < OLD.fence OR (OLD.state = 'running' AND NEW.state = 'queued') THEN
		INSERT INTO witness.notes VALUES ('a turn ran backwards', format('turn %s was %s with fence %s, %s made it %s with %s',
			NEW.id, OLD.state, OLD.fence, current_setting('application_name'), NEW.state, NEW.fence));
	END IF;
	IF OLD.state = 'queued' AND NEW.state = 'running' THEN
		SELECT lease_until INTO until FROM public.nodes WHERE id = witness.who();
		IF NEW.node IS DISTINCT FROM witness.who() OR until IS NULL
			OR until < (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint - 200000000 THEN
			INSERT INTO witness.notes VALUES ('a claim without a right', format('turn %s of %s was claimed by %s, whose lease is %s',
				NEW.id, (SELECT name FROM witness.lives WHERE node = NEW.node), current_setting('application_name'), coalesce(until::text, 'gone')));
		END IF;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER UPDATE ON turns FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.fence IS DISTINCT FROM NEW.fence OR OLD.state = 'ended') EXECUTE FUNCTION witness.changes();
`

// seatWitness installs the triggers. It is called after the tables have been
// created and before the first prompt.
func (s *stage) seatWitness() {
	s.t.Helper()
	ctx, done := within(20 * time.Second)
	defer done()
	conn, err := s.connect(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, witness, pgx.QueryExecModeSimpleProtocol); err != nil {
		s.t.Fatal(err)
	}
}

// connect opens a connection for the audit, without a gate.
func (s *stage) connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.pg.url(s.pg.port, "audit"))
}

// readWitness adds the violations that the witness recorded to those found.
func (s *stage) readWitness(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT kind, what, at FROM witness.notes ORDER BY at`)
	if err != nil {
		return err
	}
	var kind, what string
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&kind, &what, &at}, func() error {
		s.accuse(kind, "at %v: %s", at.Sub(s.began).Round(time.Millisecond), what)
		return nil
	})
	return err
}
