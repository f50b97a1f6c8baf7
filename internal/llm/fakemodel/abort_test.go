package fakemodel_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func TestServer_ClientDisconnects_RecordsTheTime(t *testing.T) {
	t.Parallel()
	cases := []struct {
		prompt, sent string
		status       int
		stream       bool
	}{
		{prompt: "[hang]", stream: true},
		{prompt: "[hang]"},
		{prompt: "[hangheaders]", status: 200, stream: true},
		{prompt: "[hangheaders]", status: 200},
		{prompt: "[hang after 2]", sent: "word1 word2", status: 200, stream: true},
		{prompt: "[hang after 2]"},
		{prompt: "[hang after 1] [slow 9 1ms] [think 2]", sent: "word1", status: 200, stream: true},
		{prompt: "[hang after 1] [tool a {}]", status: 200, stream: true},
		{prompt: "[slow 100 300ms]", sent: "word1 word2 word3 word4", status: 200, stream: true},
		{prompt: "[slow 100 300ms]"},
		{prompt: "[slowargs 1m] [tool a {}]", status: 200, stream: true},
	}
	for _, tc := range cases {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := fakemodel.New()
				client, stop := model.Pipe()
				defer stop()
				start := time.Now()
				leaveAfter(t, client, pipeURL, chatRequest(tc.prompt, tc.stream), time.Second)
				synctest.Wait()
				q := model.Requests()[0]
				if got := q.Aborted.Sub(start); got != time.Second || !q.Finished.IsZero() {
					t.Errorf("aborted after %v, finished %v", got, q.Finished)
				}
				if q.Sent != tc.sent || q.Status != tc.status || q.FirstByte.IsZero() != (tc.status == 0) {
					t.Errorf("record %+v", q)
				}
			})
		})
	}
}

// leaveAfter reads the reply and disconnects after the given time.
func leaveAfter(t *testing.T, client *http.Client, base, body string, patience time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	resp, err := post(ctx, client, base, body)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil {
		t.Error("the reply came to an end")
	}
}

func TestListen_ClientDisconnects_IsRecorded(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"[hang]", "[hangheaders]", "[hang after 2]", "[slow 1000 1h]"} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			model := fakemodel.New()
			running, base, err := model.Listen("")
			if err != nil {
				t.Fatal(err)
			}
			defer running.Close()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan struct{})
			go func() {
				defer close(left)
				resp, err := post(ctx, &http.Client{Transport: transport}, base, chatRequest(prompt, true))
				if err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			}()
			await(t, model, func(q fakemodel.Request) bool { return prompt == "[hang]" || !q.FirstByte.IsZero() })
			before := time.Now()
			leave()
			await(t, model, func(q fakemodel.Request) bool { return !q.Aborted.IsZero() })
			<-left
			if q := model.Requests()[0]; q.Aborted.Before(before) || !q.Finished.IsZero() {
				t.Errorf("left at %v, record %+v", before, q)
			}
		})
	}
}

// await blocks until the condition holds for the first record.
func await(t *testing.T, model *fakemodel.Server, holds func(fakemodel.Request) bool) {
	t.Helper()
	err := model.Wait(t.Context(), func(all []fakemodel.Request) bool {
		return len(all) > 0 && holds(all[0])
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestListen_ClientDisconnectsAfterEnd_IsRecordedAsFinished(t *testing.T) {
	t.Parallel()
	model := fakemodel.New()
	running, base, err := model.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	const rounds = 30
	for range rounds {
		resp, err := post(t.Context(), &http.Client{Transport: transport}, base, chatRequest("[fast 3]", true))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() && lines.Text() != "data: [DONE]" {
		}
		_ = resp.Body.Close()
	}
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
	for _, q := range model.Requests() {
		if !q.Aborted.IsZero() || q.Finished.IsZero() || q.Sent != "word1 word2 word3" {
			t.Errorf("record %+v", q)
		}
	}
}

func TestPipe_ServerCloses_IsNotRecordedAsDisconnect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		ended := make(chan error, 1)
		go func() {
			resp, err := post(t.Context(), client, pipeURL, chatRequest("[hang]", true))
			if err == nil {
				_ = resp.Body.Close()
			}
			ended <- err
		}()
		synctest.Wait()
		stop()
		if err := <-ended; err == nil {
			t.Error("a closed server answered")
		}
		if q := model.Requests()[0]; !q.Aborted.IsZero() || !q.Finished.IsZero() {
			t.Errorf("record %+v", q)
		}
	})
}
