//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// receiver counts the trace requests that an OpenTelemetry collector gets.
type receiver struct{ requests atomic.Int64 }

// ServeHTTP implements http.Handler.
func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "not a trace", http.StatusBadRequest)
		return
	}
	c.requests.Add(1)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *receiver) batches() int { return int(c.requests.Load()) }

func TestRun_OTLPEndpointSet_SendsTracesAndKeepsStderrClean(t *testing.T) {
	t.Parallel()
	sink := &receiver{}
	server := httptest.NewServer(sink)
	defer server.Close()
	w := newWorld(t)
	for _, test := range []struct {
		args    []string
		batches int
		logged  string
	}{
		{[]string{"run", "[say hello]"}, 1, ""},
		{[]string{"run", "[status 400]"}, 1, ""},
		{[]string{"run", "--verbose", "[status 400]"}, 1, `msg="turn failed"`},
	} {
		before := sink.batches()
		cmd := w.bellcord(test.args...)
		cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		_ = cmd.Run() // another test checks the exit code
		if got := sink.batches() - before; got != test.batches {
			t.Errorf("%v: the collector got %d batches; %s", test.args, got, errs.String())
		}
		if logged := strings.Contains(errs.String(), "level="); logged != (test.logged != "") || !strings.Contains(errs.String(), test.logged) {
			t.Errorf("%v: stderr has %q", test.args, errs.String())
		}
	}
}

func TestACP_StoppedAndFailedTurns_AreLoggedAndTraced(t *testing.T) {
	t.Parallel()
	sink := &receiver{}
	server := httptest.NewServer(sink)
	defer server.Close()
	w := newWorld(t)
	cmd := w.bellcord("acp")
	cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	send := func(format string, args ...any) { _, _ = fmt.Fprintf(in, format+"\n", args...) }
	// until reads lines up to one that contains the text.
	until := func(text string) []byte {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return lines.Bytes()
			}
		}
		t.Fatalf("it ended before %s: %s", text, errs.String())
		return nil
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, w.dir)
	var made struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal(until(`"id":2`), &made); err != nil {
		t.Fatal(err)
	}
	session := made.Result.SessionID
	prompt := `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`
	send(prompt, 3, session, "[slow 1000]")
	until("agent_message_chunk")
	send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
	until(`"id":3`)
	send(prompt, 4, session, "[status 400]")
	until(`"id":4`)
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	for _, want := range []string{"msg=stopped session=" + session, `msg="turn failed" session=` + session} {
		if n := strings.Count(errs.String(), want); n != 1 {
			t.Errorf("%d lines have %q: %s", n, want, errs.String())
		}
	}
	if sink.batches() == 0 {
		t.Error("the collector got nothing")
	}
}
