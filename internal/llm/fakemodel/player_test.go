package fakemodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func TestPlayer_ResultInRequest_DecidesNextAnswer(t *testing.T) {
	t.Parallel()
	server := fakemodel.New(fakemodel.WithPlayer(func(model string, body []byte) fakemodel.Move {
		if model == "one" && strings.Contains(string(body), "the result") {
			return fakemodel.Move{Text: "[say] is plain text here"}
		}
		return fakemodel.Move{Calls: []fakemodel.MoveCall{{Name: "functions.shell", Arguments: `{"a":1,}`}}}
	}))
	client, stop := server.Pipe()
	defer stop()
	ask := func(messages string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://fake/v1/chat/completions",
			strings.NewReader(`{"model":"one","messages":[{"role":"user","content":"hi"}`+messages+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer x")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got := ask(""); !strings.Contains(got, `"functions.shell"`) || !strings.Contains(got, `{\"a\":1,}`) {
		t.Errorf("the first answer is %s", got)
	}
	got := ask(`,{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"shell","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"the result"}`)
	if !strings.Contains(got, "[say] is plain text here") || !json.Valid([]byte(got)) {
		t.Errorf("the second answer is %s", got)
	}
}
