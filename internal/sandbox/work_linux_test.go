package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// work is a task of a developer. Prepare runs outside, with the network that the
// test has; task runs inside, without any.
type work struct {
	name, needs   string
	heavy         bool
	prepare, task string
	files         map[string]string
}

var works = []work{
	{
		name: "go test", needs: "go", heavy: true,
		prepare: "go test -vet=off -count=1 ./...", task: "go test -vet=off -count=1 ./... && go build -o tool . && ./tool",
		files: map[string]string{
			"go.mod":       "module example.test/small\n\ngo 1.21\n",
			"main.go":      "package main\n\nimport \"fmt\"\n\nfunc double(n int) int { return 2 * n }\n\nfunc main() { fmt.Println(double(21)) }\n",
			"main_test.go": "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestDouble(t *testing.T) {\n\tif double(2) != 4 || os.Getenv(\"HOME\") == \"\" {\n\t\tt.Fail()\n\t}\n\tif err := os.WriteFile(t.TempDir()+\"/x\", nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
		},
	},
	{
		name: "git clone", needs: "git",
		prepare: "git init -q origin && cd origin && git -c user.name=a -c user.email=a@example.test commit -q --allow-empty -m one",
		task:    "git clone -q origin copy && cd copy && git log --format=%s && git -c user.name=a -c user.email=a@example.test commit -q --allow-empty -m two",
	},
	{name: "python venv", needs: "python3", prepare: "true", task: "python3 -m venv --without-pip env && env/bin/python -c 'import tempfile, subprocess; tempfile.TemporaryFile(); subprocess.run([\"true\"], check=True); print(42)'"},
	{
		name: "make and gcc", needs: "gcc", prepare: "true", task: "make && ./hello",
		files: map[string]string{"Makefile": "hello: hello.c\n\tgcc -O1 -o hello hello.c\n", "hello.c": "#include <stdio.h>\nint main(void) { puts(\"42\"); return 0; }\n"},
	},
	{
		name: "npm ci", needs: "npm", heavy: true,
		prepare: "npm install --no-audit --no-fund --offline --cache $HOME/npm ./dependency && rm -rf node_modules",
		task:    "npm ci --offline --no-audit --no-fund --cache $HOME/npm && npm test --cache $HOME/npm",
		files: map[string]string{
			"package.json":            `{"name": "small", "version": "1.0.0", "scripts": {"test": "node -e 'if (require(\"dependency\") !== 42) process.exit(1)'"}}`,
			"dependency/package.json": `{"name": "dependency", "version": "1.0.0", "main": "index.js"}`,
			"dependency/index.js":     "module.exports = 42\n",
		},
	},
}

func TestWrap_DevelopersWork_RunsWithoutNetwork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles programs")
	}
	each(t, func(t *testing.T, b *sandbox.Box) {
		for _, w := range works {
			t.Run(w.name, func(t *testing.T) { w.run(t, b) })
		}
	})
}

func (w work) run(t *testing.T, b *sandbox.Box) {
	if os.Getenv(lightEnv) != "" && w.heavy {
		t.Skip("runs as root alone: it fills caches")
	}
	if _, err := exec.LookPath(w.needs); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, home := directory(t), directory(t)
	for name, content := range w.files {
		write(t, filepath.Join(dir, name), content)
	}
	cache := home
	if w.needs == "go" { // of the user: its compiled standard library is large
		out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		cache = strings.TrimSpace(string(out))
	}
	env := append(os.Environ(), "HOME="+home, "GOCACHE="+cache, "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOPROXY=off", "CGO_ENABLED=0")
	prepare := exec.CommandContext(t.Context(), "sh", "-ec", w.prepare)
	prepare.Dir, prepare.Env = dir, env
	if out, err := prepare.CombinedOutput(); err != nil {
		t.Fatalf("prepare: %v\n%s", err, out)
	}
	cmd, wrapped := command(t, b, sandbox.Profile{Write: []string{dir, home, cache}, Hide: []string{"/etc/ssh"}, Network: sandbox.Off}, dir, "sh", "-ec", w.task)
	defer wrapped.Close()
	cmd.Env = slices.Concat(env, wrapped.Env)
	out, code := finish(t, cmd)
	if code != 0 || strings.Contains(out, "bellcord: sandbox") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
