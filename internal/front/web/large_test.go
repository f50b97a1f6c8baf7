package web_test

import (
	"bufio"
	"encoding/base64"
	"flag"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// The body is announced and never sent, so the test fails if the server waits
// for it.
func TestBody_CallerLacksScope_IsRefusedUnread(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.BodyTime = time.Hour })
	path, _ := s.session("anna")
	for user, want := range map[string]int{"reader": 403, "stopper": 403, "": 401} {
		head := strings.Replace(s.rawPost(path+"/turns", 31<<20), s.tokens["anna"], s.tokens[user], 1)
		if resp := s.raw(head); resp.StatusCode != want {
			t.Errorf("%s: %d", user, resp.StatusCode)
		}
	}
	if resp := s.raw(s.rawPost(path+"/turns", 32<<20+1)); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", resp.StatusCode)
	}
}

func TestPrompt_TextAboveItsLimit_IsRefusedButImagesMayBeLarger(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	text := func(letter string, n int) string {
		return `{"text":"say ` + strings.Repeat(letter, n-len("say ")) + `"}`
	}
	for _, most := range []string{text("x", bellcord.MaxPromptText), text(`\n`, bellcord.MaxPromptText), text(`\u0041`, bellcord.MaxPromptText)} {
		s.ended("anna", s.roundTrip("anna", "POST", path+"/turns", most).is(202).turn().ID)
	}
	for _, more := range []string{text("x", bellcord.MaxPromptText+1), text(`\n`, bellcord.MaxPromptText+1), text(`\u0041`, bellcord.MaxPromptText+1), text("x", 31<<20), text(`\u0041`, 5<<20)} {
		a := s.roundTrip("anna", "POST", path+"/turns", more)
		a.isA(413, "too-large")
		if !strings.Contains(a.problem().Detail, "1 MiB") {
			t.Errorf("it does not name the limit: %s", a.body)
		}
	}
	// Everything except the data of an image counts as text, wherever it is.
	links := `{"text":"x","links":[` + strings.Repeat(`{"uri":"`+strings.Repeat("x", 900_000)+`"},`, 20) + `{"uri":""}]}`
	s.roundTrip("anna", "POST", path+"/turns", links).isA(413, "too-large")

	picture := base64.StdEncoding.EncodeToString(make([]byte, 6<<20))
	made := s.roundTrip("anna", "POST", path+"/turns", `{"text":"say hi","images":[{"type":"image/png","data":"`+picture+`"}]}`).is(202).turn()
	s.ended("anna", made.ID)
	if p, _ := s.given(made.ID); len(p.Images) != 1 || len(p.Images[0].Data) != 6<<20 {
		t.Errorf("the image did not arrive")
	}

	s.prompt("anna", path, "hang on")
	waits := s.prompt("anna", path, "say later").ID
	s.until(id, "text_delta")
	s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits), text("x", bellcord.MaxPromptText+1)).isA(413, "too-large")
}

func TestBodies_OfOneOwnerInFlight_AreLimitedSeparately(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	annas, _ := s.session("anna")
	berts, _ := s.session("bert")
	var halves []io.Closer
	for range 2 { // announce 64 MiB that never arrive
		conn := s.dial()
		halves = append(halves, conn)
		head := strings.Replace(s.rawPost(annas+"/turns", 32<<20), "\r\n", "\r\nExpect: 100-continue\r\n", 1)
		_, _ = io.WriteString(conn, head)
		// The server sends this status when it starts to read the body, after
		// counting it.
		if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 100 ") {
			t.Fatalf("the server says %q (%v), and was to read the body", line, err)
		}
	}
	long := `{"text":"say ` + strings.Repeat("x", 100_000) + `"}`
	refused := s.roundTrip("anna", "POST", annas+"/turns", long).is(429)
	if refused.header.Get("Retry-After") == "" {
		t.Error("it has no Retry-After")
	}
	s.roundTrip("anna", "POST", annas+"/turns", `{"text":"say hi"}`).is(202)
	s.roundTrip("anna", "POST", "/v1/stop", `{"reason":"enough"}`).is(200)
	s.roundTrip("bert", "POST", berts+"/turns", long).is(202)
	for _, conn := range halves {
		_ = conn.Close()
	}
	s.eventually("anna stays refused", func() bool { return s.roundTrip("anna", "POST", annas+"/turns", long).status == 202 })
}

// eventually calls is until it returns true.
func (s *stage) eventually(otherwise string, is func() bool) {
	s.t.Helper()
	for began := time.Now(); !is(); {
		if time.Since(began) > patient {
			s.t.Fatal(otherwise)
		}
	}
}

// large sends a large body as anna and returns the status; 0 means that the
// server closed the connection while the body was being written, as it does
// when it refuses a body unread.
func (s *stage) large(path, body string) int {
	conn := s.dial()
	go func() { _, _ = io.WriteString(conn, s.rawPost(path, len(body))+body) }()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = conn.Close()
	return resp.StatusCode
}

// Large prompts of one owner do not delay the stops of another.
func TestStop_WhileAnotherOwnerSendsLargePrompts_StaysFast(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	berts, _ := s.session("bert")
	median := func() time.Duration {
		var all []time.Duration
		for range 15 {
			turn := s.prompt("bert", berts, "hang on").ID
			began := time.Now()
			s.roundTrip("bert", "POST", "/v1/turns/"+string(turn)+"/stop", nil).is(200)
			all = append(all, time.Since(began))
		}
		slices.Sort(all)
		t.Logf("15 stops: median %v, slowest %v", all[7], all[14])
		return all[7]
	}
	quiet := median()
	var load sync.WaitGroup
	over := make(chan struct{})
	for size, want := range map[int]int{31 << 20: 413, bellcord.MaxPromptText - 10: 202} {
		body := `{"text":"say ` + strings.Repeat("x", size) + `"}`
		load.Go(func() {
			for sent := 0; ; sent++ {
				select {
				case <-over:
					t.Logf("%d prompts of %d bytes", sent, len(body))
					return
				default:
				}
				if status := s.large(path+"/turns", body); status != want && (status != 0 || want == 202) {
					t.Errorf("a prompt of %d bytes: %d", len(body), status)
					return
				}
			}
		})
	}
	busy := median()
	close(over)
	load.Wait()
	if *timing && busy > quiet*50+2*time.Second { // it was 450 times as long before the fix
		t.Errorf("a stop takes %v, and %v without the load", busy, quiet)
	}
}
