package surfaces_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// showsTheSame checks that each surface shows the origin of the stop: the person and the place. It
// returns the number of correct surfaces.
func (r *surfaces) showsTheSame(w way, t turn) (right int) {
	r.t.Helper()
	requester := w.by + ", " + w.word
	by := " s by " + requester + " · kept: text"
	if w.word == "terminal" { // the terminal does not name its own user
		by = " s · kept: text"
	}
	onPage := []string{"Stopped after ", " by " + w.by + ", " + w.place}
	if w.word == "page" { // nor does the page
		onPage = onPage[:1]
	}
	last := "⏹ Stopped by " + requester + " · "
	if w.inTelegram {
		last = "⏹ Stopped · "
	}
	for _, test := range []struct {
		on    surface
		texts []string
	}{
		{r.viewer, []string{"stopped by " + w.by + " from " + w.word}},
		{r.page, onPage},
		{r.term, []string{"■ stopped after ", by}},
		{r.chat, []string{last}},
	} {
		all := true
		for _, words := range test.texts {
			if got := test.on.ending(t); !strings.Contains(got, words) {
				r.t.Errorf("%s: %s says %q, without %q", w.name, test.on.name(), got, words)
				all = false
			}
		}
		if all {
			right++
		}
	}
	if r.isLogged(w, t) {
		right++
	}
	return right
}

// isLogged reports whether the server's log contains exactly one correct line for the turn.
func (r *surfaces) isLogged(w way, t turn) bool {
	r.t.Helper()
	var lines []map[string]any
	comesTrue(r.t, r.serverLog, func() bool {
		lines = nil
		for _, line := range r.logged("stopped") {
			if line["turn"] == string(t.id) {
				lines = append(lines, line)
			}
		}
		return len(lines) > 0
	})
	if l := lines[0]; len(lines) != 1 || l["session"] != string(r.session) || l["by"] != w.by || l["source"] != w.word {
		r.t.Errorf("%s: the log says %v", w.name, lines)
		return false
	}
	return true
}

// oneReceipt reads the receipt from all sources. It must be identical byte for byte over HTTP, and
// equal in the stream and in the answer to the stop.
func (r *surfaces) oneReceipt(w way, t turn, answer *bellcord.Receipt) bellcord.Receipt {
	r.t.Helper()
	path := "/v1/turns/" + string(t.id)
	byBrowser := ""
	r.page.does("read", map[string]any{"path": path}, &byBrowser)
	byToken := r.read(http.DefaultClient, r.url+path)
	if bySocket := r.read(r.socket(), "http://localhost"+path); bySocket != byToken || byBrowser != byToken {
		r.t.Errorf("%s: by token\n%s\nby socket\n%s\nby browser\n%s", w.name, byToken, bySocket, byBrowser)
	}
	var record struct{ Receipt bellcord.Receipt }
	if err := json.Unmarshal([]byte(byToken), &record); err != nil {
		r.t.Fatal(err)
	}
	want := written(r.t, record.Receipt)
	if got := written(r.t, r.viewer.receipt(t.id)); got != want {
		r.t.Errorf("%s: the stream has\n%s\nthe record\n%s", w.name, got, want)
	}
	if answer != nil && written(r.t, *answer) != want {
		r.t.Errorf("%s: the stop was answered with\n%s\nthe record has\n%s", w.name, written(r.t, *answer), want)
	}
	c := record.Receipt.Cause
	if record.Receipt.Turn != t.id || c == nil || c.Kind != bellcord.CausePerson || c.By != w.by || c.Source != w.word {
		r.t.Errorf("%s: %s", w.name, want)
	}
	return record.Receipt
}

// read returns the body of an answer.
func (r *surfaces) read(by *http.Client, url string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	res, err := by.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: %s, %v", url, res.Status, err)
	}
	return string(body)
}

// socket returns a client for the server's local socket.
func (r *surfaces) socket() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(r.data, "bellcord.sock"))
		},
	}}
}

func written(t *testing.T, receipt bellcord.Receipt) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(receipt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bare returns a receipt without the fields that differ from turn to turn. The rest must be the
// same for every surface that requests the stop.
func bare(t *testing.T, r bellcord.Receipt) string {
	t.Helper()
	cause := bellcord.Cause{Kind: r.Cause.Kind, Reason: r.Cause.Reason, Mode: r.Cause.Mode}
	r.Turn, r.Prompt, r.Cause = "", "", &cause
	r.Times, r.LogHead, r.Usage, r.UsageByModel, r.Kept.TextBytes = bellcord.Times{}, nil, bellcord.Usage{}, nil, 0
	return written(t, r)
}
