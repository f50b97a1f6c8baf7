//go:build unix

package main

import (
	"strings"
	"testing"
)

func TestServeAndDoctor_OpenNATSOnOtherHost_IsRejectedInOneSentence(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	const open = "nats://192.0.2.7:4222" // a documentation address that no host uses
	store := ownSchema(t).String()
	_, errs, code := w.does("serve", "--addr", "127.0.0.1:0", "--store-url", store, "--nats", open)
	var last string
	for line := range strings.Lines(strings.TrimSpace(errs)) {
		last = line
	}
	for _, part := range []string{"192.0.2.7:4222 is on another host", "without TLS and credentials", "use tls://USER:PASSWORD@HOST:PORT", "deploy/nats.conf"} {
		if code == 0 || !strings.Contains(last, part) {
			t.Errorf("exit code %d, and %q is not in %q", code, part, last)
		}
	}
	doctor := w.bellcord("doctor", "--store-url", store)
	doctor.Env = append(doctor.Env, "BELLCORD_NATS="+open)
	out, err := doctor.Output()
	if err == nil || !strings.Contains(string(out), "192.0.2.7:4222 is on another host") || !strings.Contains(string(out), "broken   nats") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}
