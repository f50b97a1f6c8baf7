package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// mostProblem is the documented maximum size of an error response.
const mostProblem = 4 << 10

func TestProblem_BodyWithManyErrors_IsSmallAndRepeatsNoInput(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on").ID
	s.until(id, "text_delta")
	long := strings.Repeat("canary", 20_000)
	marks := strings.Repeat(`\u0001<`, 10_000) // each takes six bytes in JSON
	var keys []string
	for i := range 90 {
		keys = append(keys, fmt.Sprintf(`"%s%d":{"a":"canary"}`, strings.Repeat("<", 100), i))
	}
	for name, body := range map[string]string{
		"unknown keys":      `{` + strings.Join(keys, ",") + `}`,
		"one long key":      `{"` + long + `":1}`,
		"a long value":      `{"choice":"` + long + `","mode":"` + long + `","text":["` + long + `"],"wait":"` + long + `","deadline":"` + long + `","dir":"` + long + `","model":"` + long + `"}`,
		"escaped marks":     `{"choice":"` + marks + `","mode":"` + marks + `","wait":"` + marks + `","dir":"` + marks + `","model":"` + marks + `"}`,
		"an id of marks":    `{"text":"x","id":"` + marks + `","deadline":"` + marks + `"}`,
		"many wrong items":  `{"text":"x","images":[` + strings.Repeat(`{},`, 900) + `{}]}`,
		"no JSON":           `{"text":"` + long,
		"a string":          `"` + long + `"`,
		"too many items":    `{"images":[` + strings.Repeat(`1,`, 300_000) + `1]}`,
		"too many objects":  `{"images":[` + strings.Repeat(`{"data":"","type":""},`, 40_000) + `{}]}`,
		"too many levels":   strings.Repeat(`{"a":`, 100_000),
		"too many brackets": strings.Repeat(`[`, 900_000),
		"one key repeated":  `{` + strings.Repeat(`"a":1,`, 150_000) + `"a":1}`,
	} {
		for _, op := range s.operations() {
			if !op.takesBody {
				continue
			}
			a := s.roundTrip("admin", op.method, op.at(string(id), string(turn), "q"), body)
			if a.status < 400 || a.status >= 500 {
				t.Errorf("%s with %s: %d", op, name, a.status)
			}
			if len(a.body) >= mostProblem {
				t.Errorf("%s with %s: %d bytes", op, name, len(a.body))
			}
			if strings.Count(string(a.body), "canary") > 200 {
				t.Errorf("%s with %s: the answer repeats what was sent: %.300s", op, name, a.body)
			}
		}
	}
}

// Anyone may send a login, so little of it is read.
func TestLogin_LargeBody_IsRefusedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	resp := s.raw("POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 930000\r\n\r\n")
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%d", resp.StatusCode)
	}
}
