package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

const sentence = "the quick brown fox of one deleted session"

// occurrences counts the sentence in all files of a store.
func occurrences(t *testing.T, dir string) (count int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		count += bytes.Count(text, []byte(sentence))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// fill creates sessions with events of many sizes, written in turn so that they
// share pages, and returns their IDs. Every third session contains the sentence.
func fill(t *testing.T, s *sqlite.Store, sessions, rounds int) (ids []bellcord.SessionID) {
	t.Helper()
	for i := range sessions {
		id := bellcord.NewSessionID()
		ids = append(ids, id)
		title := "other"
		if i%3 == 0 {
			title = sentence
		}
		commit(t, s, store.PutSession{Session: bellcord.Session{ID: id, Title: title, Dir: "/", Created: time.Now(), Updated: time.Now()}})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		for i, id := range ids {
			text := strings.Repeat("x", random.IntN([]int{60, 400, 9000}[random.IntN(3)]))
			if i%3 == 0 {
				text += sentence + strings.Repeat("y", random.IntN(200))
			}
			commit(t, s, store.AppendEvents{Session: id, At: time.Now(), Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: text}}})
		}
	}
	return ids
}

func commit(t *testing.T, s *sqlite.Store, ops ...store.Op) {
	t.Helper()
	results, err := s.Commit(t.Context(), ops)
	for _, r := range results {
		if err == nil {
			err = r.Err
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestDeleteSession_AfterScrub_FilesContainNoneOfItsText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ids := fill(t, s, 9, 40)
	if before := occurrences(t, dir); before == 0 {
		t.Fatal("the sentence is in no file before the delete")
	} else {
		t.Logf("%d occurrences before", before)
	}
	for i, id := range ids {
		if i%3 == 0 {
			commit(t, s, store.DeleteSession{ID: id})
		}
	}
	if err := s.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := occurrences(t, dir); after != 0 {
		t.Errorf("%d occurrences in the files of the open store", after)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := occurrences(t, dir); after != 0 {
		t.Errorf("%d occurrences in the files of the closed store", after)
	}
}

func TestScrub_DuringARead_FailsWithoutBlockingCommits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := opened(t, dir)
	ids := fill(t, s, 3, 3)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	reads, err := other.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var count int
	if err := reads.QueryRowContext(t.Context(), `SELECT count(*) FROM events`).Scan(&count); err != nil || count == 0 {
		t.Fatal(count, err)
	}
	commit(t, s, store.DeleteSession{ID: ids[0]})
	ctx, done := context.WithCancel(t.Context())
	defer done()
	scrubbed := make(chan error, 1)
	go func() { scrubbed <- s.Scrub(ctx) }()
	var longest time.Duration
	start := time.Now()
	for i := range 50 {
		began := time.Now()
		commit(t, s, store.AppendEvents{Session: ids[1], At: began, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: fmt.Sprint(i)}}})
		longest = max(longest, time.Since(began))
	}
	all := time.Since(start)
	t.Logf("the longest of 50 commits meanwhile took %v, all took %v", longest, all)
	if len(scrubbed) > 0 {
		t.Error("the scrub ended while somebody read")
	}
	done()
	if err := <-scrubbed; err == nil || !strings.Contains(err.Error(), "write-ahead log") {
		t.Errorf("a scrub while somebody reads: %v", err)
	}
	if all > 100*time.Second { // a scrub that blocked on readers would delay each for the busy timeout of 5 s
		t.Errorf("50 commits took %v", all)
	}
	if err := reads.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Scrub(t.Context()); err != nil {
		t.Error(err)
	}
	if after := occurrences(t, dir); after != 0 {
		t.Errorf("%d occurrences", after)
	}
}

// A page that is split keeps a copy of the rows that move to another page.
func TestScrub_PagesWereSplit_NoneKeepsUnusedBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := opened(t, dir)
	ids := fill(t, s, 9, 40)
	if sqlite.UnclearPages(t, s) == 0 {
		t.Fatal("no page has unused bytes that are not zero: nothing is tested")
	}
	commit(t, s, store.DeleteSession{ID: ids[0]})
	if err := s.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := sqlite.UnclearPages(t, s); n != 0 {
		t.Errorf("%d pages have unused bytes that are not zero", n)
	}
	intact(t, dir)
}

func TestScrub_TwoProcessesCommitMeanwhile_DatabaseStaysIntact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := []*sqlite.Store{opened(t, dir), opened(t, dir)} // each acts as another process
	fill(t, all[0], 5, 20)
	var writers, scrubs sync.WaitGroup
	scrubbed := make(chan struct{})
	for _, s := range all {
		writers.Go(func() {
			for done := false; !done; {
				select {
				case <-scrubbed:
					done = true
				default:
					fill(t, s, 2, 5)
				}
			}
		})
		scrubs.Go(func() {
			for range 10 {
				if err := s.Scrub(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	scrubs.Wait()
	close(scrubbed)
	writers.Wait()
	intact(t, dir)
}

// intact fails the test if a check of the database finds a problem.
func intact(t *testing.T, dir string) {
	t.Helper()
	if report, err := sqlite.Check(t.Context(), dir); err != nil || len(report.Problems) > 0 || report.Events == 0 {
		t.Errorf("check: %+v, %v", report, err)
	}
}
