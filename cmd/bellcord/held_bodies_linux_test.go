package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// unknownKeys returns a JSON object of about the given size, with keys that no route accepts.
func unknownKeys(size int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%x":1`, i)
	}
	b.WriteByte('}')
	return b.String()
}

// bodyRoutes returns the routes of the OpenAPI document that accept a body, with the ids filled in.
func (s *daemon) bodyRoutes(session bellcord.SessionID, turn bellcord.TurnID) (routes [][2]string) {
	s.t.Helper()
	var doc struct {
		Paths map[string]map[string]struct{ RequestBody *struct{} }
	}
	s.request("GET", "/v1/openapi.json", nil, &doc)
	ids := strings.NewReplacer("{session}", string(session), "{turn}", string(turn), "{question}", "q")
	for at, methods := range doc.Paths {
		for method, op := range methods {
			if op.RequestBody != nil {
				routes = append(routes, [2]string{strings.ToUpper(method), ids.Replace(at)})
			}
		}
	}
	slices.SortFunc(routes, func(a, b [2]string) int { return strings.Compare(a[1]+a[0], b[1]+b[0]) })
	return routes
}

// sends makes a request with the exact body and returns the status, the size of the answer and the
// time it took.
func (s *daemon) sends(token, method, at, body string) (status, size int, took time.Duration) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+at, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	began := time.Now()
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, at, err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, int(n), time.Since(began)
}

// memory returns a value of the server's /proc/PID/status in bytes.
func (s *daemon) memory(line string) int64 {
	s.t.Helper()
	text, err := os.ReadFile(path.Join("/proc", strconv.Itoa(s.Process.Pid), "status"))
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte(line+":"))
	kilobytes, err := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return kilobytes << 10
}

// processor returns the CPU time that the server has used.
func (s *daemon) processor() time.Duration {
	s.t.Helper()
	text, err := os.ReadFile(path.Join("/proc", strconv.Itoa(s.Process.Pid), "stat"))
	if err != nil {
		s.t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// tokenFor creates a token with the given scopes.
func (w *world) tokenFor(owner, scopes string) string {
	w.t.Helper()
	out, errs, code := w.does("token", "create", "--owner", owner, "--scope", scopes)
	if code != 0 {
		w.t.Fatal(errs)
	}
	return strings.TrimSpace(out)
}

// A body of unknown keys uses almost no memory and CPU time of the server, with or without a token,
// on every route that accepts a body.
func TestHeld_UnknownKeysOnEveryRoute_GetSmallAnswersAndUseNoMemory(t *testing.T) {
	w := newServerWorld(t)
	s := w.daemon([]string{"GOMAXPROCS=1"})
	session, turn := s.prompts("hello")
	s.until(session, "turn_ended")
	routes := s.bodyRoutes(session, turn)
	if len(routes) < 9 {
		t.Fatalf("the document has %d routes with a body", len(routes))
	}
	callers := []string{"", w.tokenFor("anna", "read"), w.tokenFor("anna", "stop"), s.token}
	before, used := s.memory("VmHWM"), s.processor()
	var count, most int
	var slowest time.Duration
	for _, size := range []int{600, 930_000} { // a small body first: it shows the defect without filling the memory
		body := unknownKeys(size)
		if !json.Valid([]byte(body)) {
			t.Fatal("the body is no JSON")
		}
		for _, route := range routes {
			for _, token := range callers {
				status, answer, took := s.sends(token, route[0], route[1], body)
				limited := status == 429 && (token == "" || route[1] == "/v1/login") // too many failed attempts
				if !limited && !slices.Contains([]int{401, 403, 413, 422}, status) {
					t.Errorf("%s %s with %d bytes: status %d", route[0], route[1], len(body), status)
				}
				if answer >= 4<<10 {
					t.Fatalf("%s %s with %d bytes: an answer of %d bytes", route[0], route[1], len(body), answer)
				}
				count, most, slowest = count+1, max(most, answer), max(slowest, took)
			}
		}
	}
	grown, used := s.memory("VmHWM")-before, s.processor()-used
	t.Logf("%d requests on %d routes: answers of at most %d bytes, slowest %v, %v of processor time in all, peak memory +%.1f MB",
		count, len(routes), most, slowest.Round(time.Millisecond), used, float64(grown)/1e6)
	if grown > 20e6 && !raceDetector { // the race detector needs memory itself
		t.Errorf("the server's peak memory grew by %d bytes", grown)
	}
	if each := used / time.Duration(count); each > 100*time.Millisecond {
		t.Errorf("each request took %v of processor time", each)
	}
}
