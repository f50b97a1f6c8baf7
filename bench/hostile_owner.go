package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
)

// attacker is an owner who may read and prompt.
type attacker struct {
	url, token string
	honest     *honestOwner

	mu         sync.Mutex
	answers    map[int]int // by status
	unexpected error       // the first answer that reports a failure of the server
}

func (a *attacker) attack(ctx context.Context) {
	var people sync.WaitGroup
	for range hostilePeople {
		people.Go(func() {
			session, turn := "", string(bellcord.NewTurnID())
			for i := 0; ctx.Err() == nil; i++ {
				if i%50 == 0 {
					session, turn = a.request(ctx, http.MethodPost, "/v1/sessions", `{"title":"hostile"}`, ""), string(bellcord.NewTurnID())
				}
				a.requestOne(ctx, session, turn)
				_ = pause(ctx, hostilePace) // the loop sees the end of ctx
			}
		})
	}
	people.Wait()
}

// requestOne sends one request. The turn's id is the same in many of them.
func (a *attacker) requestOne(ctx context.Context, session, turn string) {
	bad, foreign, foreignTurn := badString(), "", ""
	if s, t := a.honest.newest(); rand.IntN(2) == 0 {
		foreign, foreignTurn = string(s), string(t)
	} else {
		foreign, foreignTurn = url.PathEscape(raw(bad)), url.PathEscape(raw(bad))
	}
	prompt := func(id string) string { return fmt.Sprintf(`{"id":%q,"text":"[say ok] `, id) + bad + `"}` }
	for _, r := range pick([][]string{
		{http.MethodPost, "/v1/sessions", `{"model":"openai/` + bad + `"}`},
		{http.MethodPost, "/v1/sessions", `{"title":"` + bad + `","agent":"` + bad + `"}`},
		{http.MethodPost, "/v1/sessions", `{"dir":"/` + bad + `","mode":"` + bad + `"}`},
		{http.MethodPatch, "/v1/sessions/" + session, `{"title":"` + bad + `"}`},
		{http.MethodPatch, "/v1/sessions/" + session, `{"model":"openai/` + bad + `"}`},
		{http.MethodPost, "/v1/sessions/" + session + "/turns", prompt(turn)},
		{http.MethodPost, "/v1/sessions/" + session + "/turns", prompt(string(bellcord.NewTurnID()))},
		{http.MethodPost, "/v1/sessions/" + session + "/turns", `{"id":"` + bad + `","text":"[say ok]"}`},
		{http.MethodPost, "/v1/sessions/" + session + "/turns", `{"text":"[say ok]","files":[{"name":"` + bad + `","text":"` + bad + `"}],"links":[{"uri":"` + bad + `","name":"` + bad + `"}]}`},
		{http.MethodPost, "/v1/sessions/" + foreign + "/turns", prompt(turn)},
		{http.MethodPost, "/v1/sessions/" + session + "/turns", prompt(foreignTurn)},
		{http.MethodPost, "/v1/sessions/" + foreign + "/clear", ""},
		{http.MethodPatch, "/v1/sessions/" + foreign, `{"title":"taken"}`},
		{http.MethodPost, "/v1/turns/" + foreignTurn + "/stop", `{"reason":"` + bad + `"}`},
		{http.MethodPatch, "/v1/turns/" + foreignTurn, `{"text":"` + bad + `"}`},
		{http.MethodPost, "/v1/turns/" + turn + "/answers/" + url.PathEscape(raw(bad)), `{"choice":"` + bad + `"}`},
		{http.MethodGet, "/v1/search?q=" + url.QueryEscape(raw(bad)), ""},
		{http.MethodGet, "/v1/sessions?before=" + url.QueryEscape(raw(bad)), ""},
	}) {
		a.request(ctx, r[0], r[1], r[2], bad)
	}
}

// pick returns one of the requests, or one twice at the same time.
func pick(all [][]string) [][]string {
	one := all[rand.IntN(len(all))]
	return [][]string{one, one}[:1+rand.IntN(2)]
}

// badString returns a value as it is written inside a JSON string.
func badString() string {
	var noise strings.Builder
	for noise.Len() < 10_000 {
		noise.WriteString(string(rune('!' + rand.IntN(5)*17)))
		fmt.Fprint(&noise, rand.Uint64())
	}
	all := []string{strings.NewReplacer(`"`, "x", `\`, "x").Replace(noise.String()), `a\u0000b`, "\xff", "a\xed\xa0\x80b", `\ud800`, "a\x80\xc0\xafb", "", `\uffff\u202e`}
	return all[rand.IntN(len(all))]
}

// raw returns the value of badString for a place that is not JSON.
func raw(bad string) string {
	var s string
	if json.Unmarshal([]byte(`"`+bad+`"`), &s) != nil || strings.ContainsRune(s, '\uFFFD') {
		return bad
	}
	return s
}

// request sends one request and returns the id in its answer. Failures of the server are kept.
func (a *attacker) request(ctx context.Context, method, path, body, key string) string {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		a.note(0, fmt.Errorf("%s %.80q: %w", method, path, err))
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" && !strings.ContainsRune(key, 0) {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			a.note(0, fmt.Errorf("%s %.80q: %w", method, path, err))
		}
		return ""
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err == nil && resp.StatusCode >= 500 {
		err = fmt.Errorf("%s %.80q, %.80q: %s: %s", method, path, body, resp.Status, text)
	}
	if ctx.Err() == nil {
		a.note(resp.StatusCode, err)
	}
	var answer struct{ ID string }
	_ = json.Unmarshal(text, &answer) // refusals have no id
	return answer.ID
}

func (a *attacker) note(status int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[status]++
	if a.unexpected == nil {
		a.unexpected = err
	}
}
