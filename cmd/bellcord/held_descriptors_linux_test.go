package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// With 128 descriptors and 200 connecting viewers, a stop is still accepted.
func TestHeld_FewDescriptorsAndManyViewers_StopAndReadyzSucceed(t *testing.T) {
	w := newServerWorld(t)
	cmd := w.bellcord("serve", "--addr", "127.0.0.1:0")
	cmd.Args = append([]string{"sh", "-c", `ulimit -n 128; exec "$0" "$@"`}, append([]string{os.Args[0]}, cmd.Args[1:]...)...)
	cmd.Path = "/bin/sh"
	s := w.served(cmd)
	session, turn := s.prompts("[hang]")
	var served, refused, broken atomic.Int64
	var viewers sync.WaitGroup
	var open sync.Map
	for range 200 {
		viewers.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/sessions/"+string(session)+"/events", nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+s.token)
			client := &http.Client{Transport: &http.Transport{}} // a separate connection
			resp, err := client.Do(r)
			switch {
			case err != nil:
				broken.Add(1)
			case resp.StatusCode == http.StatusOK:
				served.Add(1)
				open.Store(resp, nil)
			case resp.StatusCode == http.StatusServiceUnavailable:
				refused.Add(1)
				open.Store(resp, nil) // kept open, as a careless client does
			default:
				text, _ := io.ReadAll(resp.Body)
				t.Errorf("a viewer: %d %s", resp.StatusCode, text)
			}
		})
	}
	viewers.Wait()
	defer open.Range(func(resp, _ any) bool { _ = resp.(*http.Response).Body.Close(); return true })
	began := time.Now()
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	ready := s.request("GET", "/readyz", nil, nil)
	tookReady := time.Since(began)
	began = time.Now()
	stopped := s.request("POST", "/v1/turns/"+string(turn)+"/stop", nil, nil)
	tookStop := time.Since(began)
	t.Logf("200 viewers: %d served, %d refused with 503, %d connections closed; readyz %d in %v, stop %d in %v",
		served.Load(), refused.Load(), broken.Load(), ready, tookReady, stopped, tookStop)
	if ready != 200 || stopped != 200 { // while the viewers keep their connections
		t.Error("the server could not be reached")
	}
	if *timing && (tookReady > time.Second || tookStop > time.Second) {
		t.Error("the server could not be reached in time")
	}
	if served.Load() < 16 || refused.Load() == 0 {
		t.Error("viewers are served and refused otherwise than by the limit")
	}
	if n := strings.Count(s.stderrText(), `"level":"WARN"`); n == 0 || n > 2 {
		t.Errorf("%d warnings: %s", n, s.stderrText())
	}
}
