package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/proc"
)

// serveBound is how long a server may take to start.
const serveBound = 30 * time.Second

// overNetwork starts a Bellcord server that hosts the agent, and returns the command that connects
// to it over WebSocket.
func (v *Visit) overNetwork(d preset.Definition) (proc.Command, error) {
	front, err := v.inFront(d)
	if err != nil {
		return front, err
	}
	config, data := filepath.Join(v.dir, "config.toml"), filepath.Join(v.dir, "data")
	settings, err := os.ReadFile(config)
	if err != nil {
		return front, err
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, "agent = %q\n%s", d.Name, settings), 0o600); err != nil {
		return front, err
	}
	server := front
	server.Args = []string{front.Args[0], "serve", "--addr", "127.0.0.1:0", "--config", config, "--data-dir", data}
	url, err := v.startServer(server)
	if err != nil {
		return front, err
	}
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		return front, err
	}
	front.Args = []string{front.Args[0], "acp", "--connect", url, "--config", config, "--data-dir", filepath.Join(v.dir, "bridge")}
	front.Env = append(front.Env, "BELLCORD_TOKEN="+strings.TrimSpace(string(token)))
	return front, nil
}

// startServer starts a server, which ends with the visit, and returns its URL.
func (v *Visit) startServer(command proc.Command) (string, error) {
	var mu sync.Mutex
	var log []byte
	serving := make(chan string, 1)
	command.Output = func(data []byte) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, data...)
		if url := servingURL(log); url != "" {
			select {
			case serving <- url:
			default: // it was found before
			}
		}
	}
	if _, err := v.keeper.Start(command); err != nil {
		return "", err
	}
	bound := time.NewTimer(serveBound)
	defer bound.Stop()
	select {
	case url := <-serving:
		return url, nil
	case <-bound.C:
	case <-v.ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	return "", fmt.Errorf("the server did not start within %s: %s", serveBound, Clip(string(log)))
}

// servingURL returns the URL in a server's log, or "".
func servingURL(log []byte) string {
	for line := range bytes.Lines(log) {
		var entry struct{ Msg, URL string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			return entry.URL
		}
	}
	return ""
}
