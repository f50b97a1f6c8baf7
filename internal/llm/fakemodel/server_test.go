package fakemodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// call sends a request without a body and returns status and body of the
// response.
func call(t *testing.T, client *http.Client, method, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestServer_NoBearerToken_ReturnsUnauthorized(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		for _, token := range []string{"", "Bearer ", "Basic abc"} {
			for method, path := range map[string]string{"GET": "/models", "POST": "/chat/completions"} {
				status, body := call(t, client, method, pipeURL+path, token)
				if status != 401 || !strings.Contains(body, `"code":"invalid_api_key"`) {
					t.Errorf("%s %s with %q: %d %s", method, path, token, status, body)
				}
			}
		}
		if got := model.Rejections(); len(got) != 3 {
			t.Errorf("rejections %q", got)
		}
	})
}

func TestServer_Models_AreListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		status, body := call(t, client, "GET", pipeURL+"/models", "Bearer k")
		if status != 200 || !strings.Contains(body, `"id":"fake"`) || !strings.Contains(body, `"id":"fake-mini"`) {
			t.Errorf("%d %s", status, body)
		}
	})
}

func TestServer_Requests_CanBeReadAndClearedOverHTTP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New(fakemodel.WithPace(time.Second))
		client, stop := model.Pipe()
		defer stop()
		chatRead(t, client, pipeURL, chatRequest("[slow 2]", true))
		chatRead(t, client, pipeURL, `{"model":"fake","messages":[]}`)
		chatRead(t, client, pipeURL, `nonsense`)
		_, body := call(t, client, "GET", "http://fake/requests", "")
		var got struct {
			Requests []struct {
				fakemodel.Request
				Body json.RawMessage
			}
			Rejections []string
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Requests) != 3 || len(got.Rejections) != 2 || got.Rejections[0] != "messages: is empty" {
			t.Fatalf("got %s", body)
		}
		first := got.Requests[0]
		if first.N != 1 || first.Sent != "word1 word2" || first.Finished.Sub(first.FirstByte) != time.Second || first.Prompt != "[slow 2]" {
			t.Errorf("first %+v", first)
		}
		if got.Requests[1].Status != 400 || got.Requests[1].Model != "fake" || string(got.Requests[2].Body) != `"nonsense"` {
			t.Errorf("others %+v", got.Requests[1:])
		}
		if status, _ := call(t, client, "DELETE", "http://fake/requests", ""); status != 204 || len(model.Requests()) != 0 {
			t.Errorf("status %d, %d records are left", status, len(model.Requests()))
		}
	})
}

func TestServer_ContentTypeNotJSON_IsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		if status, _ := call(t, client, "POST", pipeURL+"/chat/completions", "Bearer k"); status != 400 {
			t.Errorf("status %d", status)
		}
		if got := model.Rejections(); len(got) != 1 || got[0] != "content type is not application/json" {
			t.Errorf("rejections %q", got)
		}
	})
}

func TestServer_InvalidMarkers_AreRejected(t *testing.T) {
	t.Parallel()
	prompts := []string{
		"[slow]", "[slow x]", "[slow 1 2]", "[slow 1 1ms 3]", "[slow -1]", "[slow 3", "[slow 3]] [slow 9999999]",
		"[fast 1 2]", "[think many]", "[tool]", "[tool a b]", "[tool a {]", "[tool a {} {}]", "[tool a {}", "[tool a",
		"[badargs]", "[slowargs 3]", "[status]", "[status 200]", "[status 500 retry]", "[status 500 times 0]",
		"[status 500 later 1]", "[status 500 retry x]", "[hang 3]", "[hang after x]", "[cut 3]", "[cut after 1] [hang after 2]",
		"[bytes 3]", "[bytes cut x]", "[usage 1]", "[usage a b]", "[length 3]", "[say a [b]", "[then [fast x]]", "[then [fast 1]",
	}
	for _, prompt := range prompts {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := fakemodel.New()
				client, stop := model.Pipe()
				defer stop()
				h := chatRead(t, client, pipeURL, chatRequest(prompt, true))
				if h.status != 400 || len(model.Rejections()) != 1 || !strings.HasPrefix(model.Rejections()[0], "marker [") {
					t.Errorf("status %d, body %s", h.status, h.body)
				}
			})
		})
	}
}

func TestWait_ContextEnds_ReturnsItsError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := fakemodel.New().Wait(ctx, func(all []fakemodel.Request) bool { return len(all) > 0 })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestHelp_Page_ListsEveryMarker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		_, page := call(t, client, "GET", "http://fake/", "")
		for _, m := range fakemodel.Markers() {
			if !strings.Contains(page, "\n"+m.Form+" ") || !strings.Contains(page, " "+m.Effect+"\n") {
				t.Errorf("the page lacks %s: %s", m.Form, m.Effect)
			}
		}
	})
}

func TestListen_InvalidAddress_ReturnsError(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"nonsense", "127.0.0.1:-1"} {
		if _, _, err := fakemodel.New().Listen(addr); err == nil {
			t.Errorf("listening on %q worked", addr)
		}
	}
}

func TestWithLenience_InvalidRequest_IsAnsweredAndRecorded(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","messages":[{"role":"user","content":"[slow x"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{"}}]}]}`
	for _, lenient := range []bool{false, true} {
		var opts []fakemodel.Option
		if lenient {
			opts = append(opts, fakemodel.WithLenience())
		}
		server := fakemodel.New(opts...)
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer k")
		req.Header.Set("Content-Type", "application/json")
		res := httptest.NewRecorder()
		server.ServeHTTP(res, req)
		got := server.Requests()[0]
		if want := map[bool]int{false: 400, true: 200}[lenient]; res.Code != want || (got.Suspect != "") != lenient || (got.Rejected != "") == lenient {
			t.Errorf("lenient %v: status %d, %+v", lenient, res.Code, got)
		}
	}
}

func TestWithLenience_InvalidMarker_AnswersWithTheMistake(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"[slow many]":     `marker [slow many]: "many" is not a number`,
		"[tool a {oops}]": "marker [tool]: arguments: ",
		"[status 200]":    `marker [status 200]: "200" is not an error status`,
	} {
		for _, stream := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				client, stop := fakemodel.New(fakemodel.WithLenience()).Pipe()
				defer stop()
				h := chatRead(t, client, pipeURL, chatRequest(prompt, stream))
				if h.status != 200 || h.err != nil || h.finish != "stop" || !strings.HasPrefix(h.text, "The fake model cannot follow the prompt: "+want) {
					t.Errorf("%s: status %d, text %q, finish %q, error %v", prompt, h.status, h.text, h.finish, h.err)
				}
			})
		}
	}
}
