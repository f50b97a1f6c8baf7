//go:build unix

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); !is(); <-tick.C {
		if time.Since(began) > 40*time.Second {
			t.Fatal("it does not happen: " + what)
		}
	}
}

// startNATS starts a server with deploy/nats.conf, but on free ports, because the ports of the file
// can be used only once on a machine.
func (s *site) startNATS(service string) {
	s.t.Helper()
	for _, pair := range s.environment(service) {
		name, value, _ := strings.Cut(pair, "=")
		s.t.Setenv(name, value)
	}
	path := filepath.Join(s.t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, []byte(s.mounted(service, deployFile(s.t, "nats.conf"))), 0o600); err != nil {
		s.t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	opts.Host, opts.Port, opts.Cluster.Host, opts.Cluster.Port = "127.0.0.1", server.RANDOM_PORT, "127.0.0.1", server.RANDOM_PORT
	opts.NoSigs, opts.NoLog = true, true
	named := opts.Routes
	opts.Routes = nil
	for _, route := range named {
		if other := s.nats[route.Hostname()]; other != nil {
			route.Host = fmt.Sprintf("localhost:%d", other.ClusterAddr().Port)
			opts.Routes = append(opts.Routes, route)
		}
	}
	running, err := server.NewServer(opts)
	if err != nil {
		s.t.Fatal(err)
	}
	running.Start()
	s.t.Cleanup(func() { running.Shutdown(); running.WaitForShutdown() })
	if !running.ReadyForConnections(20 * time.Second) {
		s.t.Fatalf("%s does not come up", service)
	}
	s.nats[service] = running
}

// joined waits until each NATS server is connected to both others.
func (s *site) joined() {
	s.t.Helper()
	for name, running := range s.nats {
		eventually(s.t, name+" finds the others", func() bool { return running.NumRemotes() == 2 })
	}
}

// natsURL replaces the servers' names with their real addresses.
func (s *site) natsURL(text string) string {
	for service, running := range s.nats {
		port := running.Addr().(*net.TCPAddr).Port
		text = strings.ReplaceAll(text, service+":4222", fmt.Sprintf("localhost:%d", port))
	}
	return text
}

// storeURL returns the URL of the test's database, with the parameters of the given URL.
func (s *site) storeURL(text string) string {
	s.t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		s.t.Fatal(err)
	}
	storeURL, query := *s.store, s.store.Query()
	for name, values := range u.Query() {
		query[name] = values
	}
	storeURL.RawQuery = query.Encode()
	return storeURL.String()
}

// localEnv adapts an environment for a container to this machine.
func (s *site) localEnv(env []string, config string) []string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for i, pair := range env {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case "BELLCORD_CONFIG":
			env[i] = name + "=" + path
		case "BELLCORD_STORE":
			env[i] = name + "=" + s.storeURL(value)
		case "BELLCORD_NATS":
			env[i] = name + "=" + s.natsURL(value)
		}
	}
	return env
}

// node starts a service of the compose file with its exact arguments and variables.
func (s *site) node(service string, change ...string) *daemon {
	s.t.Helper()
	config := s.mounted(service, s.filled(wordAt(s.t, s.compose, "configs", "node", "content")))
	args := wordsAt(s.t, s.compose, "services", service, "command")
	for i := range args {
		args[i] = s.filled(args[i])
	}
	return s.start(args, s.localEnv(s.environment(service), config+strings.Join(change, "\n")))
}

// start starts a node on a free address.
func (s *site) start(args, env []string) *daemon {
	s.t.Helper()
	w := newServerWorld(s.t)
	if s.token != "" { // only the first node of a store creates a token
		if err := os.WriteFile(filepath.Join(w.data, "token"), []byte(s.token), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	d := w.daemon(env, append(args[1:], "--addr=127.0.0.1:0")...)
	s.token = d.token
	return d
}

// hails requests a path with the given Host header, and returns the status.
func (s *daemon) hails(path, host string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = host
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
