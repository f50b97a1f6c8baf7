package responses_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/responses"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

func TestAsk_CompleteAnswer_ReusesConnection(t *testing.T) {
	t.Parallel()
	for _, more := range [][]string{nil, {"[DONE]"}} { // OpenAI sends no [DONE]; some compatible servers do
		t.Run(fmt.Sprint(more), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := responses.New(responses.Config{BaseURL: "http://fake/v1", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
					saying(completed)(w, r)
					<-time.After(10 * time.Millisecond) // the response ends shortly after its stream
					saying(more...)(w, r)
				})})
				for i := range 3 {
					var reused bool
					ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
						GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused },
					})
					if _, err := p.Generate(ctx, prompt("hello"), ignore); err != nil {
						t.Fatal(err)
					}
					if reused != (i > 0) {
						t.Errorf("request %d: connection used again: %v", i+1, reused)
					}
					synctest.Wait()
				}
			})
		})
	}
}

func TestAsk_ResponseOpenAfterStreamEnd_ReturnsWithoutWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := responses.New(responses.Config{BaseURL: "http://fake/v1", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(completed)(w, r)
			<-r.Context().Done()
		})})
		start := time.Now()
		reply, err := p.Generate(t.Context(), prompt("hello"), ignore)
		if err != nil || reply.Finish != "stop" {
			t.Errorf("reply %+v, %v", reply, err)
		}
		if took := time.Since(start); took > 50*time.Millisecond {
			t.Errorf("waited for %v", took)
		}
	})
}

func TestAsk_StopWhileWaitingForResponseEnd_ReturnsImmediately(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := responses.New(responses.Config{BaseURL: "http://fake/v1", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(completed)(w, r)
			<-time.After(10 * time.Millisecond)
			cancel(errStopped)
			<-r.Context().Done()
		})})
		start := time.Now()
		if _, err := p.Generate(ctx, prompt("hello"), ignore); !same(err, errStopped) || time.Since(start) != 10*time.Millisecond {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}
