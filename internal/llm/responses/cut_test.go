package responses_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/responses"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// everything is a script for a reply with every kind of content. The usage is
// fixed, because prompts with a cut differ in length.
const everything = `[usage 9 9] [think 2 0s] [say some words] [tool look {"a":1}] [tool wait {}]`

// TestLaw24_CutAtAnyByte_AnswerIsIncomplete cuts the reply after each of its
// bytes.
func TestLaw24_CutAtAnyByte_AnswerIsIncomplete(t *testing.T) {
	t.Parallel()
	client, stop := fakemodel.New().Pipe()
	defer stop()
	body := rawReply(t, client, strings.Replace(everything, "[think 2 0s]", "[think 1 0s]", 1))
	const parts = 4
	for part := range parts {
		t.Run(fmt.Sprintf("part %d", part), func(t *testing.T) {
			t.Parallel()
			for n := part; n <= len(body); n += parts {
				cutBehind(t, body, n)
			}
		})
	}
}

// cutBehind sends a request and receives only the first n bytes of the reply.
func cutBehind(t *testing.T, body string, n int) {
	t.Helper()
	p := responses.New(responses.Config{BaseURL: "http://fake/v1", HTTP: &http.Client{Transport: canned(body[:n])}})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("hello"), h.emit)
	if n < len(body) {
		var cut *llm.Failure
		if !errors.Is(err, wire.ErrCutOff) || !errors.As(err, &cut) || cut.Reason != llm.CutOff || reply.Finish != "" || reply.Calls != nil {
			t.Fatalf("cut at %d of %d: %+v, %v", n, len(body), reply, err)
		}
	} else if err != nil || reply.Finish != "tool_calls" || len(reply.Calls) != 2 || reply.Calls[0].Args != `{"a":1}` || h.text != "some words" {
		t.Fatalf("not cut: %+v, %v", reply, err)
	}
	sealed := n >= endOf(body, `"type":"response.output_item.done"`)
	if (len(h.thinking) == 1) != sealed || sealed && h.thinking[0].Text != "thought1" {
		t.Fatalf("cut at %d: heard %+v", n, h)
	}
}

// canned is a transport that always returns the same stream, without a
// connection.
type canned string

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(strings.NewReader(string(c))),
	}, nil
}

// endOf returns the offset after the first event that contains mark, including
// its empty line.
func endOf(stream, mark string) int {
	at := strings.Index(stream, mark)
	return at + strings.Index(stream[at:], "\n\n") + 2
}

// rawReply returns the bytes of the response body.
func rawReply(t *testing.T, client *http.Client, script string) string {
	t.Helper()
	body := fmt.Sprintf(`{"model":"fake","store":false,"include":["reasoning.encrypted_content"],"stream":true,"input":%q}`, script)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://fake/v1/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer key")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestLaw21_RepliesAndCutReplies_AreAcceptedWhenSentBack continues after a
// complete reply and after cuts of it, with the history repaired by the core.
func TestLaw21_RepliesAndCutReplies_AreAcceptedWhenSentBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := fakemodel.New()
		client, stop := server.Pipe()
		defer stop()
		p := responses.New(responses.Config{BaseURL: "http://fake/v1", Key: "key", HTTP: client})
		length := len(rawReply(t, client, everything))
		for n := 0; n < length; n += min(61, length-n) {
			afterCut(t, p, n)
		}
		afterCut(t, p, length)
		all := server.Requests()
		if raw := string(all[len(all)-1].Raw); strings.Count(raw, `"type":"reasoning"`) != 1 || strings.Count(raw, `"type":"function_call"`) != 2 {
			t.Errorf("the thinking or the calls were not given back: %s", raw)
		}
	})
}

// afterCut continues the conversation after a reply that was cut after n bytes.
func afterCut(t *testing.T, p *responses.Provider, n int) {
	t.Helper()
	var h collected
	first := prompt(fmt.Sprintf("[bytes cut %d] %s", n, everything))
	reply, _ := p.Generate(t.Context(), first, h.emit)
	partial := bellcord.Message{Role: bellcord.RoleAssistant, Text: h.text, Thinking: h.thinking}
	for _, c := range reply.Calls {
		partial.Calls = append(partial.Calls, bellcord.CallRequest{ID: c.ID, Name: c.Name, Arguments: []byte(c.Args)})
	}
	next := first
	next.Messages = history.Repair(append(next.Messages, partial, bellcord.Message{Role: bellcord.RoleUser, Text: "[fast 1]"}))
	if _, err := p.Generate(t.Context(), next, ignore); err != nil {
		t.Fatalf("after a cut at %d: %v", n, err)
	}
}
