//go:build unix

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
)

// The test grades this program over its own WebSocket.
func TestProbe_URLOfAServer_PassesWhatNeedsNoProcess(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	cmd := w.bellcord("probe", "--url", "ws"+strings.TrimPrefix(s.url, "http"), "--cwd", t.TempDir(), "--fake-model", "--tries", "3", "--json",
		"--only", "cancel-mid-stream,cancel-same-write,cancel-request,overlapping-prompts,double-cancel,idle-cancel,cancel-after-cut,v2-negotiation,exit-on-eof")
	cmd.Env = append(cmd.Env, "BELLCORD_TOKEN="+s.token)
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	var report probe.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, r := range report.Results {
		if (r.Grade == probe.Skip) != (r.Check == "exit-on-eof") || r.Grade == probe.Fail {
			t.Errorf("%s: %s, %s", r.Check, r.Grade, r.Saw)
		}
	}
	if len(report.Results) != 9 || report.Version == "" {
		t.Errorf("%d results of version %q", len(report.Results), report.Version)
	}
}

func TestProbe_InvalidTarget_IsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "give one of --agent NAME, --url URL or a command after --"},
		{[]string{"--agent", "goose", "--url", "ws://127.0.0.1:1"}, "give one of"},
		{[]string{"--url", "ws://127.0.0.1:1", "--behind"}, "neither with --behind"},
		{[]string{"--url", "ftp://127.0.0.1:1"}, "--url: "},
		{[]string{"--url", "ws://127.0.0.1:1"}, "connection refused"},
	} {
		_, errs, code := w.does(slices.Concat([]string{"probe"}, test.args)...)
		if code == 0 || !strings.Contains(errs, test.want) {
			t.Errorf("probe %v: %d, %s", test.args, code, errs)
		}
	}
}
