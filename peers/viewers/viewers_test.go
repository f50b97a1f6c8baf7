package main

import (
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/short"
)

// CI uses 100.
var kills = flag.Int("kills", 40, "number of connections to kill")

// Law 28 for real viewers: everything that a viewer received over all its
// connections equals the record.
func TestLaw28_KilledConnections_ViewersMissAndRepeatNothing(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	_, noBrowser := findBrowser()
	_, noCurl := exec.LookPath("curl")
	if err := errors.Join(noBrowser, noCurl); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	r, err := try(t.Context(), *kills)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if wrong := r.wrong(); wrong != "" || r.browser+r.curl != *kills || r.seen == 0 {
		t.Errorf("of %d kills: %s", *kills, wrong)
	}
}

func TestLedgerCompare_DifferencesFromTheRecord_AreCounted(t *testing.T) {
	t.Parallel()
	record := []string{"a", "b", "c"}
	for _, c := range []struct {
		name   string
		events []shown
		wants  verdict
	}{
		{"all", []shown{{"1", "a"}, {"2", "b"}, {"3", "c"}}, verdict{seen: 3}},
		{"a hole", []shown{{"1", "a"}, {"3", "c"}}, verdict{seen: 2, missing: 1}},
		{"the end missing", []shown{{"1", "a"}, {"2", "b"}}, verdict{seen: 2, missing: 1}},
		{"one twice", []shown{{"1", "a"}, {"2", "b"}, {"2", "b"}, {"3", "c"}}, verdict{seen: 4, twice: 1}},
		{"two swapped", []shown{{"2", "b"}, {"1", "a"}, {"3", "c"}}, verdict{seen: 3, disordered: 1}},
		{"another content", []shown{{"1", "a"}, {"2", "x"}, {"3", "c"}}, verdict{seen: 3, changed: 1}},
		{"one too many", []shown{{"1", "a"}, {"2", "b"}, {"3", "c"}, {"4", "d"}}, verdict{seen: 4, changed: 1}},
		{"no number", []shown{{"1", "a"}, {"2", "b"}, {"3", "c"}, {"", "d"}}, verdict{seen: 4, changed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(c.name)
			for _, one := range c.events {
				l.addShown(one)
			}
			if got := l.compare(record); got != c.wants || got.good() != (c.name == "all") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestSpoken_ReturnsOnlyTheModelsText(t *testing.T) {
	t.Parallel()
	got, err := answerText([]string{`{"kind":"turn_accepted","body":{"text":"no"}}`, `{"kind":"text_delta","body":{"text":"one "}}`, `{"kind":"text_delta","body":{"text":"two"}}`})
	if got != "one two" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := answerText([]string{`{"kind":"sa`}); err == nil {
		t.Error("half an event is read")
	}
}

func TestCurlRead_IncompleteEvent_IsNotRecorded(t *testing.T) {
	t.Parallel()
	c := &curl{ledger: newLedger("curl")}
	rest, err := c.read(strings.NewReader("retry: 1000\n\n: \n\nid: 1\ndata: {\"a\":\"b: c\"}\n\nid: 2\ndata: {\"ha"))
	if err != nil || rest != len("id: 2\ndata: {\"ha") || len(c.entries) != 1 || c.entries[0] != (shown{"1", `{"a":"b: c"}`}) {
		t.Errorf("%d left, %v, %+v", rest, err, c.entries)
	}
}

func TestCutter_OnlyCutsTheGivenNumberOfStreams(t *testing.T) {
	t.Parallel()
	stream := strings.Repeat("x", 2*mostBytes)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			_, _ = io.WriteString(w, stream)
			w.(http.Flusher).Flush()
			select { // a stream does not end without a cut
			case <-r.Context().Done():
			case <-time.After(2 * mostTime):
			}
		}
	}))
	defer server.Close()
	const cuts = 6
	c, err := newCutter(t.Context(), strings.TrimPrefix(server.URL, "http://"), cuts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.stopServing()
	get := func(path string) error {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		res, err := (&http.Client{Transport: transport}).Get(c.url() + path)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return err
	}
	for n := range cuts {
		if err := get("/healthz"); err != nil {
			t.Errorf("no stream: %v", err)
		}
		if err := get("/events"); err == nil {
			t.Errorf("stream %d came to its end", n)
		}
	}
	<-c.done
	if err := get("/events"); err != nil {
		t.Errorf("cut once too often: %v", err)
	}
	if c.resets.Load()+c.ends.Load() != cuts {
		t.Errorf("%v", c)
	}
}
