package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/api"
)

// clusterNode is a bellcord serve in a separate process.
type clusterNode struct {
	stage *clusterStage
	name  string
	cmd   *exec.Cmd
	url   string
	id    string // in the cluster
	http  http.Client
}

// startNode starts a node and returns once it serves. The first node creates the tables and the
// token.
func (s *clusterStage) startNode(ctx context.Context, name string) (*clusterNode, error) {
	n := &clusterNode{stage: s, name: name}
	n.http.Transport = &http.Transport{MaxIdleConnsPerHost: 2 * arrivals}
	s.nodes = append(s.nodes, n)
	return n, n.startTurn(ctx)
}

func (n *clusterNode) startTurn(ctx context.Context) error {
	s, config := n.stage, filepath.Join(n.stage.dir, n.name+".toml")
	text := fmt.Sprintf("[serve]\nrequests_per_second = 0 # the bench is in a hurry\nshutdown_grace = \"60s\"\n[cluster]\nnode_name = %q\n", n.name)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	data := filepath.Join(s.dir, n.name)
	n.cmd = exec.Command(s.binary, "serve", "--addr", "127.0.0.1:0", "--model", "openai/fake", "--data-dir", data, "--config", config,
		"--store-url", s.store, "--nats", s.nats)
	n.cmd.Env = isolated(s.dir, n.name, "OPENAI_API_KEY=x", "OPENAI_BASE_URL="+s.modelURL)
	words, err := n.cmd.StderrPipe()
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		n.cmd = nil
		return err
	}
	lines := bufio.NewReader(words)
	if n.url, err = untilServing(lines); err != nil {
		return fmt.Errorf("node %s: %w", n.name, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // the rest of the log, until the node ends
	if s.token == "" {
		token, err := os.ReadFile(filepath.Join(data, "token"))
		if err != nil {
			return err
		}
		s.token = strings.TrimSpace(string(token))
	}
	return n.learnID(ctx)
}

// untilServing reads a node's log until it contains the node's address.
func untilServing(lines *bufio.Reader) (string, error) {
	var all []byte
	for {
		line, err := lines.ReadBytes('\n')
		all = append(all, line...)
		if err != nil {
			return "", fmt.Errorf("%w; output: %s", err, all)
		}
		var entry struct{ Msg, URL string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			return entry.URL, nil
		}
	}
}

func (n *clusterNode) learnID(ctx context.Context) error {
	var nodes api.Nodes
	if err := n.roundTrip(ctx, http.MethodGet, "/v1/nodes", nil, &nodes); err != nil {
		return err
	}
	for _, one := range nodes.Nodes {
		if one.Self {
			n.id = one.ID
			return nil
		}
	}
	return fmt.Errorf("node %s does not list itself", n.name)
}

// endNow ends the node without waiting for its turns. It can be called again.
func (n *clusterNode) endNow() error {
	if n.cmd == nil {
		return nil
	}
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait() // it was killed
	n.cmd = nil
	return nil
}

// roundTrip sends a request to the node. A response without a 2xx status is an error.
func (n *clusterNode) roundTrip(ctx context.Context, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, n.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+n.stage.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := n.http.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return err
	case resp.StatusCode/100 != 2:
		return fmt.Errorf("%s: %s: %s", path, resp.Status, answer)
	case into == nil:
		return nil
	}
	if text, plain := into.(*string); plain {
		*text = string(answer)
		return nil
	}
	return json.Unmarshal(answer, into)
}

// commits returns the number of commits that the node has made, and the seconds they took.
func (n *clusterNode) commits(ctx context.Context) (count, seconds float64, err error) {
	var text string
	if err := n.roundTrip(ctx, http.MethodGet, "/metrics", nil, &text); err != nil {
		return 0, 0, err
	}
	for name, to := range map[string]*float64{"count": &count, "sum": &seconds} {
		_, after, _ := strings.Cut(text, "\nbellcord_commit_duration_seconds_"+name+" ")
		value, _, _ := strings.Cut(after, "\n")
		if *to, err = strconv.ParseFloat(value, 64); err != nil {
			return 0, 0, err
		}
	}
	return count, seconds, nil
}
