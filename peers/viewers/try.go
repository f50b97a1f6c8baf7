package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// The numbers of sessions and viewers. A page waits before it reconnects, which is not changed
// here, so there are many streams in parallel instead.
const (
	sessionCount = streamsOfAPage
	pageCount    = 2
	curlCount    = 10
)

// script makes a turn emit about 40 events per second: words, a command with output, words again.
const script = `[slow 40 20ms] [tool shell {"command":"for i in 1 2 3 4 5; do echo line $i; sleep 0.05; done"}] [then [slow 20 20ms]]`

// trial is one complete run.
type trial struct {
	*server
	sessions []bellcord.SessionID
	cutter   *cutter
	pages    *pages
	curls    []*curl
	viewers  map[*ledger]bellcord.SessionID
	failed   chan error
}

// bound is the timeout of the complete run.
const bound = 5 * time.Minute

// try kills connections while turns run, and reports what the viewers
// received.
func try(ctx context.Context, kills int) (r report, err error) {
	began := time.Now()
	ctx, done := context.WithTimeout(ctx, bound)
	defer done()
	h, err := openServer(ctx)
	if err != nil {
		return r, err
	}
	defer h.shutDown()
	t := &trial{server: h, viewers: map[*ledger]bellcord.SessionID{}, failed: make(chan error, 1)}
	for range sessionCount {
		made, err := h.client.NewSession(ctx, api.NewSession{})
		if err != nil {
			return r, err
		}
		t.sessions = append(t.sessions, made.ID)
	}
	if t.cutter, err = newCutter(ctx, strings.TrimPrefix(h.url, "http://"), kills/2); err != nil {
		return r, err
	}
	defer t.cutter.stopServing()
	if t.pages, err = openPages(ctx, filepath.Join(h.dir, "profile"), t.cutter.url()); err != nil {
		return r, err
	}
	defer t.pages.browser.quit()
	if err := t.openViewers(ctx); err != nil {
		return r, err
	}
	if err := t.kill(ctx, kills-kills/2); err != nil {
		return r, err
	}
	r, err = t.judge(ctx)
	r.took = time.Since(began)
	return r, err
}

// openViewers opens the pages, which watch from then on, and prepares the
// curls.
func (t *trial) openViewers(ctx context.Context) error {
	for n := range pageCount {
		code, err := t.code(ctx)
		if err != nil {
			return err
		}
		ledgers, err := t.pages.open(ctx, fmt.Sprintf("page %d", n+1), code, t.sessions)
		if err != nil {
			return err
		}
		for i, l := range ledgers {
			t.viewers[l] = t.sessions[i]
		}
	}
	for n := range curlCount {
		session := t.sessions[n%len(t.sessions)]
		c := newCurl(t.server, n+1, session)
		t.curls = append(t.curls, c)
		t.viewers[c.ledger] = session
	}
	return nil
}

// kill keeps turns running until all kills have been made and the last turns have ended.
func (t *trial) kill(ctx context.Context, curlKills int) error {
	enough := make(chan struct{})
	var turns, curls sync.WaitGroup
	for _, id := range t.sessions {
		turns.Go(func() { t.reportFailure(t.prompt(ctx, id, enough)) })
	}
	for i, c := range t.curls {
		curls.Go(func() { t.reportFailure(c.lose(ctx, share(curlKills, len(t.curls), i))) })
	}
	killed := make(chan struct{})
	go func() {
		curls.Wait()
		select {
		case <-t.cutter.done:
			close(killed)
		case <-ctx.Done():
		}
	}()
	var err error
	select {
	case <-killed:
	case err = <-t.failed:
	case err = <-t.pages.failed:
	case <-ctx.Done():
		err = fmt.Errorf("%d cuts of the browser's connections were not made: %w", t.cutter.left.Load(), ctx.Err())
	}
	close(enough)
	if err == nil {
		turns.Wait()
	}
	return err
}

// share returns the i-th of n parts of a whole.
func share(total, n, i int) int { return total*(i+1)/n - total*i/n }

// reportFailure keeps the first failure.
func (t *trial) reportFailure(err error) {
	if err != nil {
		select {
		case t.failed <- err:
		default:
		}
	}
}

// prompt runs one turn after the other in a session until enough is closed.
func (t *trial) prompt(ctx context.Context, id bellcord.SessionID, enough <-chan struct{}) error {
	for {
		select {
		case <-enough:
			return nil
		default:
		}
		turn, err := t.client.Prompt(ctx, id, api.NewTurn{Text: script})
		if err == nil {
			turn, err = t.client.Turn(ctx, turn.ID, time.Minute)
		}
		if err != nil {
			return err
		}
		if turn.Receipt == nil || turn.Receipt.End != bellcord.EndDone {
			return fmt.Errorf("turn %s did not do its work: %+v", turn.ID, turn)
		}
	}
}
