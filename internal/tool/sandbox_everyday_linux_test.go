package tool_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// everyday are the rows of the table of everyday commands in docs/sandbox.md.
var everyday = []struct {
	row   string // as in the document
	tools string // that the row needs
	setup string // runs outside of the sandbox
	run   string
	hint  string // of the failure; empty: it works
	asks  string // the host that the session asks for
	home  string // the hint of the failure if the home directory is hidden; empty: the same outcome
}{
	{row: "go build, test, vet", tools: "go", setup: goModule, run: `cd g && go build ./... && go vet ./... && go test ./...`},
	{row: "go get", tools: "go", setup: goModule, run: `cd g && GOFLAGS=-mod=mod GONOSUMDB=* GOPROXY=file://$PWD/../proxy go get example.com/x@v1.0.0`},
	{row: "a module in a sibling directory, as replace ../lib does", tools: "go", setup: siblingModule, run: `cd sibling && go build ./...`, home: "sandbox.home"},
	{row: "write ~/go/bin, as go install does", run: `mkdir -p ~/go/bin`, hint: "sandbox.write"},
	{
		row: "npm install", tools: "npm node", setup: `mkdir -p n/dep && cd n && echo '{"name":"dep","version":"1.0.0"}' > dep/package.json && echo '{"name":"n"}' > package.json && (cd dep && tar czf ../dep.tgz --transform s,^,package/, package.json)`,
		run: `cd n && npm install --offline --no-audit --no-fund ./dep.tgz && test -d ~/.npm/_cacache`,
	},
	{row: "npm install -g", tools: "npm node", setup: `mkdir -p n/dep && echo '{"name":"dep","version":"1.0.0"}' > n/dep/package.json`, run: `npm install -g --offline ./n/dep`, hint: "sandbox.write"},
	{row: "python3 -m venv, unittest", tools: "python3", run: `python3 -m venv --without-pip v && v/bin/python -c 'import unittest'`},
	{row: "gcc, make", tools: "gcc make", setup: `echo 'int main(){return 0;}' > m.c && printf 'all:\n\tgcc m.c -o m && ./m\n' > Makefile`, run: `make`},
	{row: "git commit, branch, stash", tools: "git", setup: repository, run: `cd r && echo 2 >> a && git stash -q && git stash pop -q && git commit -qam two && git checkout -q -b topic && git log --oneline | grep -q two`},
	{row: "git init, clone", tools: "git", setup: repository, run: `git init -q new && git clone -q r copy && cd new && git config user.x y`},
	{row: "git branch -d of a branch with settings", tools: "git", setup: repository + ` && git branch topic && git config branch.topic.remote x`, run: `git branch -D topic`},
	{row: "git config, remote add, push -u", tools: "git", setup: repository, run: `git remote add o /x`, hint: ".git/config"},
	{row: "git push to a repository outside", tools: "git", setup: repository + ` && rm -rf ~/bare.git && git init -q --bare ~/bare.git`, run: `git push -q ~/bare.git HEAD:refs/heads/x`, hint: "sandbox.write"},
	{row: "git commit with a gpg signature", tools: "git gpg", setup: repository + ` && git config commit.gpgsign true && mkdir -p -m 700 ~/.gnupg`, run: `git commit -q --allow-empty -m signed`, hint: "~/.gnupg"},
	{row: "ssh keys", setup: `mkdir -p ~/.ssh && echo key > ~/.ssh/id`, run: `cat ~/.ssh/id`, hint: "sandbox.show"},
	{row: "curl, pip, npm: another host", tools: "curl", run: `curl -sS --max-time 20 https://host.invalid/`, hint: "sandbox.domains", asks: "host.invalid"},
	{row: "node fetch", tools: "node", run: `node -e 'fetch("https://host.invalid/").catch(e => { console.log(String(e.cause || e)); process.exit(1) })'`, hint: "sandbox."},
	{row: "a service on localhost", tools: "curl", run: `curl -sS --max-time 5 http://127.0.0.1:6379/`, hint: `sandbox.network = "on"`},
	{row: "a server and its client in one command", tools: "python3 curl", run: `python3 -m http.server --bind 127.0.0.1 8766 > log 2>&1 & for i in $(seq 100); do curl -s -o page http://127.0.0.1:8766/ && exit; sleep 0.1; done; exit 1`},
	{row: "files in /tmp between commands", setup: `true`, run: `test "$(cat /tmp/first /var/tmp/first)" = "12" || test "$(cat /tmp/first)" = 1`},
	{row: "write next to the session's directory", run: `echo x > ../beside`, hint: "sandbox.write"},
	{row: "the log of a background command", run: `cat RESOURCES/s/background-1.log`, hint: "read_file"},
}

const (
	// A program would compile the runtime of Go, which takes ten seconds.
	goModule      = `mkdir -p g && cd g && printf 'module x\ngo 1.24\n' > go.mod && printf 'package x\n' > x.go`
	siblingModule = `mkdir -p ../lib sibling && printf 'module x/lib\ngo 1.24\n' > ../lib/go.mod && printf 'package lib\n\nfunc F() {}\n' > ../lib/lib.go && cd sibling &&
		printf 'module x\ngo 1.24\nrequire x/lib v0.0.0\nreplace x/lib => ../../lib\n' > go.mod && printf 'package x\n\nimport "x/lib"\n\nvar _ = lib.F\n' > x.go`
	// In the session's directory, and one below it.
	repository = `git config --global user.email a@b.c && git config --global user.name a && git config --global --add safe.directory '*' && git init -q . && (git rev-parse -q --verify HEAD || git commit -q --allow-empty -m one) >/dev/null &&
		rm -rf r && git init -q r && (cd r && echo 1 > a && git add a && git commit -qm one)`
	everydayEnv = "TOOL_TEST_EVERYDAY"
	hiddenEnv   = "TOOL_TEST_HIDDEN"
	nobody      = 65534
)

// TestSandbox_EverydayCommands_WorkOrFailWithTheHintOfTheDocument starts itself as
// this user, and as an unprivileged one if this user is root, in a home directory
// without caches, which commands see or not.
func TestSandbox_EverydayCommands_WorkOrFailWithTheHintOfTheDocument(t *testing.T) {
	if base := os.Getenv(everydayEnv); base != "" {
		runEveryday(t, base)
		return
	}
	t.Parallel()
	checkTable(t)
	users := []int{os.Getuid()}
	if os.Getuid() == 0 {
		users = append(users, nobody)
	}
	for i := range 2 * len(users) {
		uid, hidden := users[i/2], []string{"", "hidden"}[i%2]
		t.Run(fmt.Sprintf("user %d, home %s", uid, hidden), func(t *testing.T) {
			t.Parallel()
			base := everydayBase(t, uid)
			self := filepath.Join(base, "self")
			copySelf(t, self)
			cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestSandbox_EverydayCommands_Work", "-test.v")
			cmd.Dir = base
			cmd.Env = []string{
				everydayEnv + "=" + base, hiddenEnv + "=" + hidden, "HOME=" + filepath.Join(base, "home"), "TMPDIR=" + base, "PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI"),
				"GOTOOLCHAIN=local", "npm_config_update_notifier=false", "GORACE=atexit_sleep_ms=0",
			}
			if uid != os.Getuid() {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
			}
			if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestSandbox_EverydayCommands_Work")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// copySelf copies this program to a path. A child that another test starts meanwhile
// would inherit the open file, and the kernel executes no file that is open for writing.
func copySelf(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	err = os.WriteFile(path, text, 0o755) //nolint:gosec // it is executed
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}

// checkTable checks that the document has each command, and the same outcome.
func checkTable(t *testing.T) {
	t.Helper()
	document, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range everyday {
		result := "fails"
		if e.hint == "" {
			result = "works"
		}
		if e.asks != "" {
			result = "asks"
		}
		if line := tableRow(string(document), e.row); !strings.Contains(line, "| "+result) {
			t.Errorf("docs/sandbox.md: no row %q with %q: %q", e.row, result, line)
		}
	}
}

// everydayBase returns a directory outside of /tmp with a home directory without
// caches, for a user.
func everydayBase(t *testing.T, uid int) string {
	t.Helper()
	parent := "/var/lib"
	if os.Getuid() != 0 {
		parent, _ = os.UserHomeDir()
	}
	base, err := os.MkdirTemp(parent, "bellcord-everyday-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("chmod", "-R", "u+w", base).Run() // go makes its modules read-only
		_ = os.RemoveAll(base)
	})
	for _, dir := range []string{base, filepath.Join(base, "home"), filepath.Join(base, "home", "work")} {
		_ = os.Mkdir(dir, 0o700)
		if err := errors.Join(os.Chmod(dir, 0o755), os.Chown(dir, uid, -1)); err != nil { //nolint:gosec // as a home directory
			t.Fatal(err)
		}
	}
	return base
}

func runEveryday(t *testing.T, base string) {
	t.Helper()
	home, dir := filepath.Join(base, "home"), filepath.Join(base, "home", "work")
	writeModule(t, filepath.Join(dir, "proxy"))
	box, err := sandbox.Open(t.Context(), sandbox.Require, sandbox.Options{Level: sandbox.Namespaces})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
	outputs := filepath.Join(base, "data", "background")
	resources := &tool.SessionResources{Dir: outputs, Confine: &confine.Policy{
		Keeper: keeper, Open: func() (*sandbox.Box, error) { return box, nil }, Network: sandbox.Proxy,
		Limits: proc.Limits{MemoryPercent: 75, Processes: 8192}, // as by default
		Hide:   []string{filepath.Join(base, "data")}, Secrets: confine.Credentials(home),
		Write: confine.Caches(home), Home: home, Caches: confine.MissingCaches(home), Tmp: &confine.TempDirs{Parent: filepath.Join(base, "data", "tmp")},
	}}
	hidden := os.Getenv(hiddenEnv) != ""
	if hidden {
		resources.Confine.Tools = confine.Toolchains(home)
	}
	t.Cleanup(func() { resources.End("s"); resources.Confine.Tmp.Close(context.Background()) })
	shell := tool.Shell(keeper, resources)
	asked := &asker{}
	run := func(command string) tool.Result {
		command = strings.ReplaceAll(command, "RESOURCES", outputs)
		return shell.Run(t.Context(), tool.Call{Session: "s", Dir: dir, Mode: permit.Ask, Asker: asked, Output: func(string) {}, Args: arguments(t, map[string]any{"command": command})})
	}
	if r := run("echo 1 > /tmp/first; printf 2 > /var/tmp/first"); r.Failed {
		t.Fatalf("%+v", r)
	}
	for _, e := range everyday {
		if missing := missingTool(e.tools); missing != "" {
			if os.Getenv("CI") == "true" && missing != "gpg" {
				t.Errorf("%s: %s is not installed", e.row, missing)
			}
			continue
		}
		if e.setup != "" {
			setup := exec.Command("/bin/sh", "-c", e.setup)
			setup.Dir, setup.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := setup.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", e.row, err, out)
				continue
			}
		}
		if hidden && e.home != "" {
			e.hint = e.home
		}
		asked.hosts = nil
		r := run(e.run)
		switch note := r.Text[strings.LastIndex(r.Text, "\n[")+1:]; {
		case r.Failed != (e.hint != ""):
			t.Errorf("%s: failed is %v: %s", e.row, r.Failed, r.Text)
		case e.hint != "" && (!strings.Contains(note, "sandbox") || !strings.Contains(note, e.hint)):
			t.Errorf("%s: the hint has no %s: %s", e.row, e.hint, r.Text)
		case e.hint == "" && strings.Contains(r.Text, "sandbox"):
			t.Errorf("%s: it works, and has a hint: %s", e.row, r.Text)
		case strings.Join(asked.hosts, " ") != e.asks && e.row != "node fetch": // a new Node asks, too
			t.Errorf("%s: asked for %q", e.row, asked.hosts)
		}
	}
}

// tableRow returns the line of a table with a first cell.
func tableRow(document, cell string) string {
	for line := range strings.Lines(document) {
		if strings.HasPrefix(strings.ReplaceAll(line, "`", ""), "| "+cell+" |") {
			return line
		}
	}
	return ""
}

func missingTool(names string) string {
	for _, name := range strings.Fields(names) {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// asker rejects every host.
type asker struct {
	tool.Asker
	mu    sync.Mutex
	hosts []string
}

func (a *asker) AskForm(_ context.Context, q bellcord.Question) (bellcord.Reply, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hosts = append(a.hosts, strings.TrimSuffix(strings.TrimPrefix(q.Text, "Allow network access to "), "?"))
	return bellcord.Reply{Choice: "reject"}, nil
}

// writeModule writes the files of a proxy for one module of Go.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"go.mod": "module example.com/x\n", "x.go": "package x\n"} {
		w, err := z.Create("example.com/x@v1.0.0/" + name)
		if err == nil {
			_, err = fmt.Fprint(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "example.com", "x", "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": "module example.com/x\n", "v1.0.0.zip": archive.String()} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
