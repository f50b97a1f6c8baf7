package web_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// damagedStage serves a session of anna's with one unreadable event.
func damagedStage(t *testing.T, event int) (s *stage, path string, log *lines) {
	t.Helper()
	dir, id := t.TempDir(), bellcord.NewSessionID()
	kept, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	bodies := make([]bellcord.Body, 1000)
	for i := range bodies {
		bodies[i] = bellcord.SessionUpdated{Title: "a title"}
	}
	_, err = kept.Commit(context.Background(), []store.Op{
		store.PutSession{Session: bellcord.Session{ID: id, Owner: "anna"}},
		store.AppendEvents{Session: id, Bodies: bodies, At: time.Now()},
	})
	if err := errors.Join(err, kept.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", dir+"/bellcord.db")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), fmt.Sprintf(`UPDATE events SET body = x'ff00ff' WHERE seq = %d`, event))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	log = &lines{}
	s = newStage(t, func(with *setup) {
		with.data = dir
		with.Logger = slog.New(slog.NewTextHandler(log, nil))
	})
	return s, "/v1/sessions/" + string(id) + "/events", log
}

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), part)
}

func TestEvents_FirstEventUnreadable_AnswersStoreDamaged(t *testing.T) {
	t.Parallel()
	s, path, log := damagedStage(t, 1)
	s.roundTrip("anna", "GET", path, nil).isA(500, "store-damaged")
	if !log.has("level=ERROR") {
		t.Error("the log has no error")
	}
}

func TestEvents_LaterEventUnreadable_EndsTheStreamWithTheProblem(t *testing.T) {
	t.Parallel()
	s, path, log := damagedStage(t, 700)
	a := s.roundTrip("anna", "GET", path, nil) // returns because the server ends the stream
	a.is(200)
	text := string(a.body)
	if strings.Count(text, "\nid: ") < 256 || !strings.Contains(text, "event: problem\ndata: {") || !strings.HasSuffix(strings.TrimSpace(text), "}") || !strings.Contains(text, "store-damaged") {
		t.Errorf("the stream ends with %s", text[max(0, len(text)-300):])
	}
	if !log.has("event stream failed") {
		t.Error("the log has no error")
	}
}

func TestTranscript_EventUnreadable_Fails(t *testing.T) {
	t.Parallel()
	s, path, _ := damagedStage(t, 1)
	s.roundTrip("anna", "GET", strings.TrimSuffix(path, "/events")+"/transcript", nil).isA(500, "store-damaged")
}
