package fakemodel_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// A client that does not read blocks the server's writes to a pipe. The blocked
// write must not count as delivered.
func TestPipe_ClientStopsReading_RecordsOnlyDeliveredText(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]string{
		"in the middle":     `"content":" word2"`,
		"before the end":    `"finish_reason":"stop"`,
		"before the reason": `"content":" word4"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := fakemodel.New()
				client, stop := model.Pipe()
				defer stop()
				resp, err := post(t.Context(), client, pipeURL, chatRequest("[nousage] [fast 4]", true))
				if err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewReaderSize(resp.Body, 16) // prevents reading ahead
				output := readUntil(t, lines, until)
				start := time.Now()
				<-time.After(time.Minute)
				_ = resp.Body.Close()
				synctest.Wait()
				q := model.Requests()[0]
				if q.Aborted.Sub(start) != time.Minute || !q.Finished.IsZero() {
					t.Errorf("aborted %v, finished %v", q.Aborted.Sub(start), q.Finished)
				}
				if want := strings.Count(output, "word"); strings.Count(q.Sent, "word") != want {
					t.Errorf("%d words were read, but %q recorded", want, q.Sent)
				}
			})
		})
	}
}

func readUntil(t *testing.T, lines *bufio.Reader, mark string) string {
	t.Helper()
	var output strings.Builder
	for !strings.Contains(output.String(), mark) {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("after %s: %v", output.String(), err)
		}
		output.WriteString(line)
	}
	return output.String()
}

// hangsUp is a connection with a client that disconnects as soon as it has the
// last event.
type hangsUp struct {
	*httptest.ResponseRecorder
	leave func()
}

func (h hangsUp) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "[DONE]") {
		h.leave()
	}
	return h.ResponseRecorder.Write(b)
}

func TestServer_DisconnectAfterLastEvent_IsRecordedAsFinished(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(chatRequest("[fast 1]", true)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer key")
	model := fakemodel.New()
	model.ServeHTTP(hangsUp{ResponseRecorder: httptest.NewRecorder(), leave: leave}, req)
	if q := model.Requests()[0]; q.Finished.IsZero() || !q.Aborted.IsZero() {
		t.Errorf("record %+v", q)
	}
}

func TestPipe_DisconnectDuringRequestBody_IsRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		body, more := io.Pipe()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, pipeURL+"/chat/completions", body)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = io.WriteString(more, `{"model":`)
			<-ctx.Done()
			_ = more.CloseWithError(ctx.Err()) // the transport waits for its copy of the body
		}()
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
			t.Error("half a request was answered")
		}
		synctest.Wait()
		q := model.Requests()[0]
		if q.Aborted.Sub(start) != time.Second || string(q.Raw) != `{"model":` || q.Status != 0 {
			t.Errorf("record %+v", q)
		}
	})
}

func TestServer_PromptInParts_IsJoinedAndRequestsAreLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		model := fakemodel.New(fakemodel.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		client, stop := model.Pipe()
		image := `{"type":"image_url","image_url":{"url":"data:x"}}`
		h := chatRead(t, client, pipeURL, conversation(true,
			`{"role":"user","content":[`+image+`,{"type":"text","text":"[fast 1]"},{"type":"text","text":"[fast 1]"}]}`))
		if h.text != "word1 word1" || model.Requests()[0].Prompt != "[fast 1]\n[fast 1]" {
			t.Errorf("text %q, prompt %q", h.text, model.Requests()[0].Prompt)
		}
		chatRead(t, client, pipeURL, `{}`)
		stop()
		if !strings.Contains(log.String(), "step=0") || !strings.Contains(log.String(), "model: is missing") {
			t.Errorf("log %s", log.String())
		}
	})
}
