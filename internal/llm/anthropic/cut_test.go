package anthropic_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

func TestAsk_StreamEndsWithoutStopReason_ReturnsErrCutOff(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"[cut after 2] [fast 5]", "[cutclean after 2] [fast 5]", "[cut after 0] [fast 5]", "[cutclean after 0] [fast 5]",
		"[cutclean after 0] [think 3 0s] [fast 5]", "[cut after 0] [think 3 0s] [fast 5]",
		"[bytes cut 0]", "[bytes cut 10]", "[bytes cut 500]", `[cut after 1] [tool look {"a":1}]`, `[cutclean after 2] [tool look {"a":1}]`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p, _ := fake(t, anthropic.Config{})
			var h collected
			reply, err := p.Generate(t.Context(), prompt(script), h.emit)
			var passing *llm.Failure
			if !errors.Is(err, wire.ErrCutOff) || !errors.As(err, &passing) || passing.Status != 0 || passing.Reason != llm.CutOff {
				t.Errorf("error %v", err)
			}
			if reply.Finish != "" || reply.Calls != nil || reply.Usage != nil || h.thinking != nil {
				t.Errorf("reply %+v, thinking %v", reply, h.thinking)
			}
		})
	}
}

// wholeBody returns the response body that the fake model streams for a prompt.
func wholeBody(t *testing.T, client *http.Client, script string) []byte {
	t.Helper()
	body := fmt.Sprintf(`{"model":"fake","max_tokens":9,"stream":true,"messages":[{"role":"user","content":%q}]}`, script)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://fake/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"Content-Type": "application/json", "X-Api-Key": "key", "Anthropic-Version": "2023-06-01"} {
		req.Header.Set(key, value)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestAsk_CutAtAnyByte_IsNeitherCompleteNorSignedTooEarly(t *testing.T) {
	t.Parallel()
	for _, first := range []int{0, 1} { // two parallel halves: even and odd positions
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { cutEverywhere(t, first, 2) })
		})
	}
}

func cutEverywhere(t *testing.T, first, step int) {
	t.Helper()
	server := fakemodel.New()
	client, stop := server.Pipe()
	defer stop()
	p := anthropic.New(anthropic.Config{BaseURL: "http://fake/v1", Key: "key", HTTP: client})
	script := ` [usage 9 9] [think 1 0s] [fast 1] [tool a {"x":1}] [tool b {}]`
	body := wholeBody(t, client, script)
	// An event is complete once the empty line after it has arrived.
	after := func(mark string) int {
		i := bytes.Index(body, []byte(mark))
		return i + bytes.Index(body[i:], []byte("\n\n")) + 2
	}
	sealed, complete := after("event: content_block_stop"), after(`"stop_reason":"tool_use"`)
	for n := first; n <= len(body); n += step {
		var h collected
		reply, err := p.Generate(t.Context(), prompt(fmt.Sprintf("[bytes cut %d]%s", n, script)), h.emit)
		if (err == nil) != (n >= complete) || (err != nil && !errors.Is(err, wire.ErrCutOff)) {
			t.Fatalf("cut at %d of %d, complete at %d: %v", n, len(body), complete, err)
		}
		if (len(h.thinking) == 1) != (n >= sealed) {
			t.Fatalf("cut at %d, sealed at %d: thinking %v", n, sealed, h.thinking)
		}
		if len(h.thinking) == 1 && h.thinking[0].Text != "thought1" {
			t.Fatalf("cut at %d: thinking %v", n, h.thinking)
		}
		if err == nil && (len(reply.Calls) != 2 || reply.Calls[0].Args != `{"x":1}` || reply.Calls[1].Args != `{}`) {
			t.Fatalf("cut at %d: calls %v", n, reply.Calls)
		}
	}
	if why := server.Rejections(); len(why) > 0 {
		t.Errorf("the fake model refused requests: %s", why)
	}
}
