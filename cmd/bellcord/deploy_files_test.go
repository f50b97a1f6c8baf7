//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

// at returns the value at a path of keys and, in lists, of indexes.
func at(t *testing.T, in any, path ...any) any {
	t.Helper()
	for i, step := range path {
		var found bool
		switch step := step.(type) {
		case string:
			var from yamlMap
			if from, found = in.(yamlMap); found {
				in, found = from[step]
			}
		case int:
			var from []any
			from, is := in.([]any)
			if found = is && step < len(from); found {
				in = from[step]
			}
		}
		if !found {
			t.Fatalf("there is no %v", path[:i+1])
		}
	}
	return in
}

func wordAt(t *testing.T, in any, path ...any) string {
	t.Helper()
	word, is := at(t, in, path...).(string)
	if !is {
		t.Fatalf("%v is no word", path)
	}
	return word
}

func wordsAt(t *testing.T, in any, path ...any) (words []string) {
	t.Helper()
	all, is := at(t, in, path...).([]any)
	if !is {
		t.Fatalf("%v is no list", path)
	}
	for i := range all {
		words = append(words, wordAt(t, all, i))
	}
	return words
}

// The test starts nodes with the exact arguments of the files, including the address, without a
// database. The missing database must be the only error.
func TestDeploy_ArgumentsOfFiles_AreAccepted(t *testing.T) {
	t.Parallel()
	s := &site{t: t, compose: manifests(t, "compose.yaml")[0], vars: map[string]string{}}
	_, container := podOf(t, kinds(t))
	for what, run := range map[string]struct {
		args []string
		toml string
	}{
		"compose":    {wordsAt(t, s.compose, "services", "node1", "command"), wordAt(t, s.compose, "configs", "node", "content")},
		"kubernetes": {wordsAt(t, container, "args"), wordAt(t, kinds(t)["ConfigMap"], "data", "config.toml")},
	} {
		w := newWorld(t)
		for i := range run.args {
			run.args[i] = s.filled(run.args[i])
		}
		cmd := w.bellcord(run.args...)
		cmd.Env = s.localEnv(append(cmd.Env, "BELLCORD_CONFIG="), run.toml)
		cmd.Env = append(cmd.Env, "BELLCORD_STORE=postgres://nobody@127.0.0.1:1/none", "BELLCORD_NATS=tls://nats1:4222")
		output, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(output), "opening the store in PostgreSQL") {
			t.Errorf("%s: %v: %s", what, err, output)
		}
	}
}

// The test compares the time that the files allow for a shutdown with the time that one may take:
// to finish, to stop, to close the listeners, and to settle.
func TestDeploy_ShutdownTimeouts_LetTurnsEnd(t *testing.T) {
	t.Parallel()
	const rest = 2*app.CloseTimeout + 20*time.Second
	compose, all := manifests(t, "compose.yaml")[0], kinds(t)
	for _, service := range []string{"node1", "node2", "node3"} {
		grace, err := time.ParseDuration(wordAt(t, compose, "services", service, "stop_grace_period"))
		if err != nil {
			t.Fatal(err)
		}
		for _, arg := range wordsAt(t, compose, "services", service, "command") {
			if text, is := strings.CutPrefix(arg, "--shutdown-grace="); is {
				if finish, err := time.ParseDuration(text); err != nil || grace < finish+rest {
					t.Errorf("%s: %v for %v and %v more: %v", service, grace, finish, rest, err)
				}
			}
		}
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(wordAt(t, all["ConfigMap"], "data", "config.toml")), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	pod, container := podOf(t, all)
	grace, sleep := seconds(t, pod, "terminationGracePeriodSeconds"), seconds(t, container, "lifecycle", "preStop", "sleep", "seconds")
	if finish := time.Duration(c.Serve.ShutdownGrace); grace < sleep+finish+rest {
		t.Errorf("a pod has %v for %v, %v and %v more", grace, sleep, finish, rest)
	}
}

func seconds(t *testing.T, in any, path ...any) time.Duration {
	t.Helper()
	n, err := strconv.Atoi(wordAt(t, in, path...))
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(n) * time.Second
}

// The test compares the Dockerfile with the files that use the image.
func TestDeploy_Dockerfile_MatchesDeploymentFiles(t *testing.T) {
	t.Parallel()
	docker, compose, all := deployFile(t, "Dockerfile"), manifests(t, "compose.yaml")[0], kinds(t)
	pod, container := podOf(t, all)
	user, check := wordAt(t, pod, "securityContext", "runAsUser"), wordsAt(t, compose, "services", "node1", "healthcheck", "test")
	build := regexp.MustCompile(`go build .*-o bin/bellcord`).FindString(deployFile(t, "../Makefile"))
	for _, want := range []string{
		"USER " + user + ":" + wordAt(t, pod, "securityContext", "runAsGroup") + "\n",
		"--chown=" + user + ":",
		fmt.Sprintf("ENTRYPOINT [%q]\n", check[1]),
		// as make build, and without paths of the builder
		"RUN CGO_ENABLED=0 " + strings.NewReplacer("go build", "go build -trimpath", "bin/bellcord", "/out/bellcord").Replace(build),
		"BELLCORD_DATA=" + wordAt(t, container, "volumeMounts", 0, "mountPath") + " ",
		"FROM golang:" + regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(deployFile(t, "../go.mod"))[1] + " ",
	} {
		if build == "" || !strings.Contains(docker, want) {
			t.Errorf("the Dockerfile has no %q", want)
		}
	}
	if strings.Contains(docker, "\nEXPOSE") {
		t.Error("the Dockerfile exposes a port, but without --addr the server listens only inside of the container")
	}
	tried := server.VERSION[:strings.LastIndex(server.VERSION, ".")]
	if image := wordAt(t, compose, "services", "nats1", "image"); image != "nats:"+tried {
		t.Errorf("%s is deployed, %s is tried", image, tried)
	}
}

// The image has directories before the first start. They are not a sign of a used store.
func TestDeploy_DirectoriesOfTheImage_ServerStartsTwice(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	made := regexp.MustCompile(`mkdir -p ((?: ?/out/data\S*)+)`).FindStringSubmatch(deployFile(t, "Dockerfile"))
	if made == nil {
		t.Fatal("the Dockerfile creates no directory of the data")
	}
	for _, dir := range strings.Fields(made[1]) {
		if err := os.MkdirAll(filepath.Join(w.data, strings.TrimPrefix(dir, "/out/data")), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		s := w.daemon(nil)
		s.terminates()
		if code := s.ends(); code != 0 {
			t.Fatalf("exit code %d: %s", code, s.stderrText())
		}
	}
}

// The test uses a real PostgreSQL server.
func TestDeploy_PostgreSQLSettings_AreValid(t *testing.T) {
	t.Parallel()
	db, err := pgx.Connect(t.Context(), ownSchema(t).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	command := wordsAt(t, manifests(t, "compose.yaml")[0], "services", "postgres", "command")
	for _, setting := range command[1:] {
		name, _, is := strings.Cut(setting, "=")
		var known bool
		if err := db.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_settings WHERE name = $1)`, name).Scan(&known); err != nil {
			t.Fatal(err)
		}
		if is != known || !is && setting != "-c" {
			t.Errorf("%s is no setting", setting)
		}
	}
}
