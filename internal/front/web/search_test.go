package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

func (s *stage) search(user, query string) api.Hits {
	s.t.Helper()
	var found api.Hits
	s.roundTrip(user, "GET", "/v1/search?q="+url.QueryEscape(query), nil).is(200).into(&found)
	return found
}

// marked returns the pieces of a hit as one text with brackets around matches.
func marked(h api.Hit) string {
	var text strings.Builder
	for _, p := range h.Pieces {
		if p.Match {
			fmt.Fprintf(&text, "[%s]", p.Text)
		} else {
			text.WriteString(p.Text)
		}
	}
	return text.String()
}

func TestSearch_WordsOfASession_AreFoundAndMarked(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: "Fix totals"}).is(200)
	s.until(id, "session_updated") // a change is stored after the response
	turn := s.prompt("anna", path, "say The sum of the CART is <b>wrong</b>").ID
	s.ended("anna", turn)
	for _, test := range []struct {
		query string
		where api.Where
		want  string
	}{
		{"TOTALS", api.InTitle, "Fix [totals]"},
		{"cart <B>", api.InPrompt, "say The sum of the [CART] is [<b>]wrong</b>"},
		{"wrong sum", api.InPrompt, "say The [sum] of the CART is <b>[wrong]</b>"},
	} {
		hits := s.search("anna", test.query)
		if len(hits.Hits) != 1 || !hits.Complete {
			t.Errorf("%s: %+v", test.query, hits)
			continue
		}
		if hit := hits.Hits[0]; hit.Where != test.where || marked(hit) != test.want || hit.Session.ID != id || hit.Where != api.InTitle && hit.Turn != turn {
			t.Errorf("%s: %s in %s of %s", test.query, marked(hit), hit.Where, hit.Turn)
		}
	}
	for _, query := range []string{"cart totals", "carts", " ", "%", "_", ".*"} {
		if hits := s.search("anna", query); len(hits.Hits) != 0 {
			t.Errorf("%q: %+v", query, hits)
		}
	}
	s.roundTrip("anna", "GET", "/v1/search", nil).is(422)
	s.roundTrip("anna", "GET", "/v1/search?q="+strings.Repeat("x", 201), nil).is(422)
}

// The fragments of an answer are joined, also if another prompt arrives between
// them.
func TestSearch_WordInTwoFragments_IsFound(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "wait we look at the lo").ID
	s.until(id, "text_delta")
	s.prompt("anna", path, "say later")
	s.release()
	s.ended("anna", turn)
	at := time.Now()
	if _, err := s.store.Commit(t.Context(), []store.Op{store.AppendEvents{Session: id, At: at, Bodies: []bellcord.Body{bellcord.TextDelta{Text: "comotive"}, bellcord.TextDelta{Text: "s and more"}}}}); err != nil {
		t.Fatal(err)
	}
	if hits := s.search("anna", "comotives"); len(hits.Hits) != 1 || hits.Hits[0].Where != api.InAnswer || marked(hits.Hits[0]) != "[comotives] and more" {
		t.Errorf("%+v", hits)
	}
}

func TestHeld_Search_FindsNothingOfOtherOwners(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say locomotive").ID)
	if hits := s.search("bert", "locomotive"); len(hits.Hits) != 0 || !hits.Complete {
		t.Errorf("bert finds %+v", hits)
	}
	for _, user := range []string{"anna", "reader", "admin"} {
		if hits := s.search(user, "locomotive"); len(hits.Hits) != 1 {
			t.Errorf("%s finds %+v", user, hits)
		}
	}
	s.roundTrip("anna", "DELETE", path, nil).is(204)
	if hits := s.search("anna", "locomotive"); len(hits.Hits) != 0 {
		t.Errorf("a deleted session is found: %+v", hits)
	}
}

// fill adds n sessions of anna, each with an answer in the given number of
// fragments. Only the oldest contains the word locomotive.
func fill(t testing.TB, kept store.Store, n, fragments int) {
	t.Helper()
	bodies := make([]bellcord.Body, fragments)
	for i := range bodies {
		bodies[i] = bellcord.TextDelta{Text: "the timetable of the tram lists every stop "}
	}
	start := time.Now().Add(-time.Hour)
	var ops []store.Op
	for i := range n {
		made := bellcord.Session{ID: bellcord.NewSessionID(), Dir: "/shop", Owner: "anna", Title: "Tram", Created: start, Updated: start.Add(time.Duration(i) * time.Second)}
		ops = append(ops, store.PutSession{Session: made}, store.AppendEvents{Session: made.ID, Bodies: bodies, At: made.Updated})
		if i == 0 {
			last := []bellcord.Body{bellcord.TextDelta{Text: "a locomo"}, bellcord.TextDelta{Text: "tive"}}
			ops = append(ops, store.AppendEvents{Session: made.ID, Bodies: last, At: made.Updated})
		}
	}
	if _, err := kept.Commit(t.Context(), ops); err != nil {
		t.Fatal(err)
	}
}

func TestSearch_ManySessions_FindsTheOldestAndLimitsTheHits(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	fill(t, s.store, 100, 10)
	if hits := s.search("anna", "locomotive"); len(hits.Hits) != 1 || !hits.Complete || hits.Hits[0].Where != api.InAnswer {
		t.Errorf("%+v", hits)
	}
	if all := s.search("anna", "timetable"); len(all.Hits) != 30 || all.Complete {
		t.Errorf("%d hits, complete %v", len(all.Hits), all.Complete)
	}
}

func TestSearch_TimeLimitReached_ReturnsTheHitsSoFar(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.SearchTime = time.Nanosecond })
	fill(t, s.store, 10, 1)
	if hits := s.search("anna", "timetable"); hits.Complete || len(hits.Hits) > 9 {
		t.Errorf("%+v", hits)
	}
}

// BenchmarkSearch_ThousandSessions searches 160,000 fragments for a word that
// only the oldest session contains. "read one by one" is the cost of reading
// every session without the cache, which was that of every search before.
func BenchmarkSearch_ThousandSessions(b *testing.B) {
	kept, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer kept.Close()
	fill(b, kept, 1000, 160)
	searched, err := hub.Open(b.Context(), kept, newActor(), hub.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer searched.Close(context.WithoutCancel(b.Context()))
	token, _, err := auth.Mint(b.Context(), kept, serverstore.Token{Owner: "anna", Name: "anna", Scopes: people["anna"]})
	if err != nil {
		b.Fatal(err)
	}
	door := auth.NewDoor(kept, auth.Options{})
	defer door.Close()
	open := func() *web.Server {
		return web.New(web.Config{Hosts: []string{"127.0.0.1"}, Hub: searched, Door: door, Texts: kept, SearchTime: time.Minute})
	}
	search := func(b *testing.B, server *web.Server) {
		b.Helper()
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/search?q=locomotive", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		server.Handler().ServeHTTP(w, r)
		if body := w.Body.String(); !strings.Contains(body, `"complete":true`) || !strings.Contains(body, "locomotive") {
			b.Fatal(w.Code, body)
		}
	}
	b.Run("read one by one", func(b *testing.B) {
		for b.Loop() {
			sessions, err := kept.Sessions(b.Context(), store.SessionQuery{})
			if err != nil {
				b.Fatal(err)
			}
			for _, session := range sessions {
				if _, err := kept.TextEvents(b.Context(), session.ID, 20_000); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("first search of a server", func(b *testing.B) {
		for b.Loop() {
			server := open()
			search(b, server)
			server.Close()
		}
	})
	b.Run("next searches", func(b *testing.B) {
		server := open()
		defer server.Close()
		search(b, server)
		for b.Loop() {
			search(b, server)
		}
	})
}

// A search that follows another reads only what is new, and finds it.
func TestSearch_SessionGrowsBetweenSearches_FindsTheNewText(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say first").ID)
	add := func(texts ...string) {
		t.Helper()
		var bodies []bellcord.Body
		for _, text := range texts {
			bodies = append(bodies, bellcord.TextDelta{Text: text}, bellcord.ThinkingDelta{Text: "hidden " + text})
		}
		if _, err := s.store.Commit(t.Context(), []store.Op{store.AppendEvents{Session: id, At: time.Now(), Bodies: bodies}}); err != nil {
			t.Fatal(err)
		}
	}
	if hits := s.search("anna", "locomotive"); len(hits.Hits) != 0 {
		t.Fatalf("%+v", hits)
	}
	add("a lo", "como")
	s.search("anna", "anything")
	add("tive", " departs")
	s.ended("anna", s.prompt("anna", path, "say second").ID)
	for query, want := range map[string]int{"locomotive departs": 1, "second": 1, "first": 1, "hidden": 0, "comocomo": 0, "tivetive": 0} {
		if hits := s.search("anna", query); len(hits.Hits) != want {
			t.Errorf("%s: %+v", query, hits)
		}
	}
}

func TestSearch_State_SelectsSessions(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, ended := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say tram").ID)
	path, running := s.session("anna")
	s.prompt("anna", path, "wait tram")
	s.until(running, "text_delta")
	path, waiting := s.session("anna")
	s.prompt("anna", path, "ask tram")
	s.until(waiting, "question_opened")
	path, held := s.session("anna")
	turn := s.prompt("anna", path, "wait tram").ID
	s.until(held, "text_delta")
	s.prompt("anna", path, "say later")
	s.roundTrip("anna", "POST", "/v1/turns/"+string(turn)+"/stop", nil)
	s.ended("anna", turn)
	for state, want := range map[api.SessionState]bellcord.SessionID{
		api.SessionRunning: running, api.SessionWaiting: waiting, api.SessionHeld: held, api.SessionEnded: ended,
	} {
		for _, query := range []string{"", "&q=tram"} {
			var found api.Hits
			s.roundTrip("anna", "GET", "/v1/search?state="+string(state)+query, nil).is(200).into(&found)
			if len(found.Hits) != 1 || found.Hits[0].Session.ID != want || !found.Complete {
				t.Errorf("%s%s: %+v, want %s", state, query, found, want)
			}
		}
	}
	var found api.Hits
	s.roundTrip("bert", "GET", "/v1/search?state=ended", nil).is(200).into(&found)
	if len(found.Hits) != 0 {
		t.Errorf("bert finds %+v", found)
	}
	s.roundTrip("anna", "GET", "/v1/search?state=lost", nil).is(422)
}

// The time is the only limit: a search of many sessions reaches the oldest, and one
// that ends early can be continued.
func TestSearch_ManySessions_ReachesTheOldestAndContinues(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.Texts = noTexts{} })
	_, id := s.session("anna")
	mine, err := s.store.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var ops []store.Op
	for i := range 5100 {
		at := time.Unix(int64(1000+i), 0)
		title := "another"
		if i < 3 {
			title = fmt.Sprintf("needle %d", i)
		}
		ops = append(ops, store.PutSession{Session: bellcord.Session{
			ID: bellcord.NewSessionID(), Owner: mine.Owner, Title: title, Created: at, Updated: at,
		}})
	}
	if _, err := s.store.Commit(t.Context(), ops); err != nil {
		t.Fatal(err)
	}
	if hits := s.search("anna", "needle"); len(hits.Hits) != 3 || !hits.Complete || hits.NextCursor != "" {
		t.Errorf("%d hits, complete %v, cursor %q, want 3 hits of a complete search", len(hits.Hits), hits.Complete, hits.NextCursor)
	}
	var titles []string
	for path := "/v1/search?q=needle&limit=1"; len(titles) < 5; {
		var found api.Hits
		s.roundTrip("anna", "GET", path, nil).is(200).into(&found)
		for _, h := range found.Hits {
			titles = append(titles, h.Session.Title)
		}
		if found.NextCursor == "" {
			break
		}
		path = "/v1/search?q=needle&limit=1&before=" + url.QueryEscape(found.NextCursor)
	}
	if got := strings.Join(titles, ", "); got != "needle 2, needle 1, needle 0" {
		t.Errorf("one hit at a time: %s", got)
	}
	s.roundTrip("anna", "GET", "/v1/search?q=needle&before=%00", nil).is(422)
}

// noTexts has no prompts and no answers, so that a search of many sessions is fast.
type noTexts struct{}

func (noTexts) TextEvents(context.Context, bellcord.SessionID, int) ([]bellcord.Event, error) {
	return nil, nil
}

func (noTexts) Tails(_ context.Context, sessions []bellcord.SessionID) ([]int64, error) {
	return make([]int64, len(sessions)), nil
}
