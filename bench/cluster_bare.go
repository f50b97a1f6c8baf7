package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
)

// bareSubject is the subject on which a separate process responds immediately and does nothing
// else.
const bareSubject = "bare"

// bareStop is the minimum that a stop across nodes needs, without Bellcord's code: a NATS request
// to another process, then one durable row.
type bareStop struct {
	bus *nats.Conn
	db  *pgx.Conn
}

const bareBytes = 200 // of a request and of a row

// openBareStops starts the process that responds on bareSubject and opens n independent bareStops.
func (s *clusterStage) openBareStops(ctx context.Context, n int) ([]*bareStop, error) {
	if _, err := s.play("echo " + s.nats); err != nil {
		return nil, err
	}
	return s.openBares(ctx, n)
}

func (s *clusterStage) openBares(ctx context.Context, n int) ([]*bareStop, error) {
	if _, err := s.db.Exec(ctx, `CREATE TABLE IF NOT EXISTS bare (at BIGINT NOT NULL, body BYTEA NOT NULL)`); err != nil {
		return nil, err
	}
	var all []*bareStop
	for range n {
		b := &bareStop{}
		all = append(all, b)
		var err error
		if b.bus, err = nats.Connect(s.nats); err != nil {
			return all, err
		}
		if b.db, err = pgx.Connect(ctx, s.store); err != nil {
			return all, err
		}
		if _, err = b.db.Exec(ctx, `SET synchronous_commit = on`); err != nil {
			return all, err
		}
	}
	return all, nil
}

func closeBares(all []*bareStop) {
	for _, b := range all {
		if b.bus != nil {
			b.bus.Close()
		}
		if b.db != nil {
			_ = b.db.Close(context.Background()) // a failure does not matter
		}
	}
}

// measure measures the request and the commit.
func (b *bareStop) measure(ctx context.Context) (request, commit time.Duration, err error) {
	began := time.Now()
	if _, err := b.bus.RequestWithContext(ctx, bareSubject, make([]byte, bareBytes)); err != nil {
		return 0, 0, err
	}
	request = time.Since(began)
	commit, err = b.commit(ctx)
	return request, commit, err
}

// commit measures a transaction of one row.
func (b *bareStop) commit(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	_, err := b.db.Exec(ctx, `INSERT INTO bare (at, body) VALUES ($1, $2)`, began.UnixNano(), make([]byte, bareBytes))
	return time.Since(began), err
}
