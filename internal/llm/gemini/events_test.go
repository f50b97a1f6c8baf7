package gemini_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// raw streams its argument unchanged.
func raw(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream)
	}
}

func TestAsk_EventStreamVariants_AreDecoded(t *testing.T) {
	t.Parallel()
	hello, stop := parts(`{"text":"hello"}`), finish("STOP")
	for name, stream := range map[string]string{
		"lines end with both":       "data: " + hello + "\r\n\r\ndata: " + stop + "\r\n\r\n",
		"lines end with one":        "data: " + hello + "\n\ndata: " + stop + "\n\n",
		"no space after the colon":  "data:" + hello + "\n\ndata:" + stop + "\n\n",
		"comments":                  ": wait\n\n:\ndata: " + hello + "\n: wait\n\ndata: " + stop + "\n\n",
		"other fields":              "retry: 3\n\nevent: chunk\nid: 1\ndata: " + hello + "\n\ndata: " + stop + "\n\n",
		"an event without data":     "data:\n\nevent: ping\n\ndata: " + hello + "\n\ndata: " + stop + "\n\n",
		"data on several lines":     "data: " + strings.ReplaceAll(hello, ",", ",\ndata: ") + "\n\ndata: " + strings.Replace(stop, ",", "\ndata: ,", 1) + "\n\n",
		"many empty lines":          "\n\n\ndata: " + hello + "\n\n\n\r\n\r\ndata: " + stop + "\n\n\n",
		"no empty line at the end":  "data: " + hello + "\n\ndata: " + stop + "\n",
		"no end of line at the end": "data: " + hello + "\n\ndata: " + stop,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h collected
			reply, err := serving(t, raw(stream)).Generate(t.Context(), prompt("hello"), h.emit)
			if err != nil || h.text != "hello" || reply.Finish != "stop" {
				t.Errorf("heard %+v, reply %+v, %v", h, reply, err)
			}
		})
	}
}

func TestAsk_EventSize_IsLimited(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 8<<20)
	var h collected
	if _, err := serving(t, saying(parts(`{"text":"`+long+`"}`), finish("STOP"))).Generate(t.Context(), prompt("hello"), h.emit); err != nil || h.text != long {
		t.Errorf("heard %d bytes, %v", len(h.text), err)
	}
	some := strings.Repeat("x", 1<<14)
	for name, piece := range map[string]string{"in one line": some, "in many lines": some + "\ndata: "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serving(t, func(w http.ResponseWriter, r *http.Request) {
				raw("data: ")(w, r)
				for err := error(nil); err == nil; { // until the client disconnects
					_, err = io.WriteString(w, piece)
				}
			})
			_, err := p.Generate(t.Context(), prompt("hello"), ignore)
			notPassing(t, err, "too long")
			if !errors.Is(err, bufio.ErrTooLong) || errors.Is(err, wire.ErrCutOff) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// The last event may be incomplete.
func TestAsk_ConnectionLostBeforeEndOfEvent_DropsTheEvent(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		raw("data: "+finish("STOP")+"\n")(w, r)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); !errors.Is(err, wire.ErrCutOff) {
		t.Errorf("error %v", err)
	}
}

func TestAsk_ModelName_SelectsEscapedResourcePath(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"gemini-3-pro": "/v1beta/models/gemini-3-pro", "models/gemini-3-pro": "/v1beta/models/gemini-3-pro",
		"tunedModels/mine-7": "/v1beta/tunedModels/mine-7", "some/model": "/v1beta/models/some/model",
		"what?key=1#2%3": "/v1beta/models/what%3Fkey=1%232%253",
	} {
		var requested string
		p := serving(t, func(w http.ResponseWriter, r *http.Request) {
			requested = r.RequestURI
			saying(finish("STOP"))(w, r)
		})
		req := prompt("hello")
		req.Model = model
		if _, err := p.Generate(t.Context(), req, ignore); err != nil {
			t.Fatal(err)
		}
		if want += ":streamGenerateContent?alt=sse"; requested != want {
			t.Errorf("%s was asked at %s, not %s", model, requested, want)
		}
	}
}

func TestAsk_RedirectToAnotherServer_DoesNotSendKey(t *testing.T) {
	t.Parallel()
	var keys []string
	note := func(r *http.Request) { keys = append(keys, r.Header.Get("X-Goog-Api-Key")) }
	other := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		saying(finish("STOP"))(w, r)
	})
	first := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	})
	p := gemini.New(gemini.Config{BaseURL: first, Key: "key"})
	t.Cleanup(p.Close)
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
		t.Error(err)
	}
	if len(keys) != 2 || keys[0] != "key" || keys[1] != "" {
		t.Errorf("keys sent: %q", keys)
	}
}
