package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// guardTurns is the number of turns that are measured each way.
const guardTurns = 500

// guard measures the time that Bellcord adds to a hosted agent: from the editor's prompt to the
// agent, and from the agent's update to the editor. The agent is this program, which sends the times
// at which it read the prompt and wrote the update. The baseline is the same agent without Bellcord;
// the two alternate, so that other load affects them equally.
func guard(out io.Writer, bellcord string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "guard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	config := filepath.Join(folder, "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[agents.timed]\nprotocol = \"acp\"\ncommand = [%q, \"timed\"]\n", self), 0o600); err != nil {
		return err
	}
	ctx, done := context.WithTimeout(context.Background(), 5*time.Minute)
	defer done()
	bare, err := startGuarded(ctx, folder, []string{self, "timed"})
	if err != nil {
		return err
	}
	defer bare.close()
	behind, err := startGuarded(ctx, folder, []string{bellcord, "acp", "--config", config, "--data-dir", filepath.Join(folder, "data"), "--agent", "timed"})
	if err != nil {
		return err
	}
	defer behind.close()
	for turn := range guardTurns + 20 { // the first ones are not counted
		for _, g := range []*guarded{bare, behind} {
			if err := g.turn(turn >= 20); err != nil {
				return err
			}
		}
	}
	printGuard(out, bare, behind)
	return nil
}

func printGuard(out io.Writer, bare, behind *guarded) {
	fmt.Fprintf(out, "a hosted agent behind bellcord acp, %d turns each way, alternating\n", guardTurns)
	row(out, "prompt written to prompt read, bare", bare.prompts)
	row(out, "prompt written to prompt read, behind", behind.prompts)
	row(out, "update written to update read, bare", bare.updates)
	row(out, "update written to update read, behind", behind.updates)
	row(out, "prompt to first token, bare", bare.tokens)
	row(out, "prompt to first token, behind", behind.tokens)
	middle := func(took []time.Duration) time.Duration { return took[len(took)/2] } // row has sorted them
	added := middle(behind.prompts) - middle(bare.prompts) + middle(behind.updates) - middle(bare.updates)
	fmt.Fprintf(out, "  added by Bellcord at p50, both directions: %v (goal: at most 5ms)\n", added.Round(time.Microsecond))
}

// guarded is an editor of one process.
type guarded struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   *bufio.Reader
	session string
	id      int

	prompts, updates, tokens []time.Duration
}

func startGuarded(ctx context.Context, folder string, args []string) (*guarded, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = isolated(folder, "guard")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &guarded{cmd: cmd, in: in, lines: bufio.NewReader(pipe)}
	if _, err := g.call("initialize", `{"protocolVersion":1,"clientCapabilities":{}}`, nil); err != nil {
		return nil, errors.Join(err, g.cmd.Process.Kill())
	}
	made, err := g.call("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, folder), nil)
	if err != nil {
		return nil, errors.Join(err, g.cmd.Process.Kill())
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	err = json.Unmarshal(made, &session)
	g.session = session.ID
	return g, err
}

func (g *guarded) close() {
	_ = g.in.Close()
	_ = g.cmd.Wait() // its exit is not measured
}

// guardMessage is a message as far as the measurement needs it.
type guardMessage struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Params struct {
		Update struct {
			Kind    string `json:"sessionUpdate"`
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"update"`
	} `json:"params"`
}

// call sends a request and returns its result. Each update before it is passed to onMessage with the time
// at which it was read.
func (g *guarded) call(method, params string, onMessage func(guardMessage, time.Time)) (json.RawMessage, error) {
	g.id++
	if _, err := fmt.Fprintf(g.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", g.id, method, params); err != nil {
		return nil, err
	}
	for {
		line, err := g.lines.ReadBytes('\n')
		now := time.Now()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var m guardMessage
		if err := json.Unmarshal(line, &m); err != nil && m.Method == "" {
			continue // content of another kind
		}
		switch {
		case m.Method != "" && onMessage != nil:
			onMessage(m, now)
		case m.Method != "":
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		case m.ID == float64(g.id):
			return m.Result, nil
		}
	}
}

// turn runs a turn and, if it counts, notes its times.
func (g *guarded) turn(counts bool) error {
	began := time.Now()
	timed := false
	_, err := g.call("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}`, g.session), func(m guardMessage, now time.Time) {
		var read, wrote int64
		if m.Params.Update.Kind != "agent_message_chunk" {
			return
		}
		if n, _ := fmt.Sscanf(m.Params.Update.Content.Text, "%d %d", &read, &wrote); n != 2 || timed {
			return
		}
		timed = true
		if counts {
			g.prompts = append(g.prompts, time.Unix(0, read).Sub(began.Round(0)))
			g.updates = append(g.updates, now.Round(0).Sub(time.Unix(0, wrote)))
			g.tokens = append(g.tokens, now.Sub(began))
		}
	})
	if err == nil && !timed {
		err = errors.New("the turn had no update with its times")
	}
	return err
}

// timedAgent is this program as a hosted agent: it answers each prompt with the times at which it
// read the prompt and wrote the answer.
func timedAgent(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		read := time.Now()
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Session string `json:"sessionId"`
			} `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return err
		}
		result := `{}`
		switch {
		case m.ID == nil:
			continue
		case m.Method == "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{"loadSession":false}}`
		case m.Method == "session/new":
			result = `{"sessionId":"timed"}`
		case m.Method == "session/prompt":
			result = `{"stopReason":"end_turn"}`
			update := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d %d"}}}}`+"\n",
				m.Params.Session, read.UnixNano(), time.Now().UnixNano())
			if _, err := io.WriteString(out, update); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result); err != nil {
			return err
		}
	}
	return lines.Err()
}
