//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nats-io/nats-server/v2/server"
)

const deployDir = "../../deploy"

func deployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// manifests returns the documents of a file.
func manifests(t *testing.T, name string) []yamlMap {
	t.Helper()
	all, err := readYAML(deployFile(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all
}

// documentedCommands returns the commands in a file's comments, except those that need docker.
func documentedCommands(text string) (commands []string) {
	for _, found := range regexp.MustCompile(`(?m)^#   (.*)$`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(found[1], "docker ") {
			commands = append(commands, found[1])
		}
	}
	return commands
}

// site is the deployment that deploy/compose.yaml describes, on this machine.
type site struct {
	t       *testing.T
	dir     string // contains the output of the files' commands
	vars    map[string]string
	compose yamlMap
	store   *url.URL
	nats    map[string]*server.Server // by service
	token   string
}

// newSite runs the commands in the files' comments, and starts the NATS servers.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), nats: map[string]*server.Server{}, compose: manifests(t, "compose.yaml")[0]}
	s.store = ownSchema(t)
	script := strings.Join(append(documentedCommands(deployFile(t, "nats.conf")), documentedCommands(deployFile(t, "compose.yaml"))...), "\n")
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = s.dir
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, output, script)
	}
	secrets, err := os.ReadFile(filepath.Join(s.dir, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	s.vars = map[string]string{"SITE": "bellcord.example", "BELLCORD_MODEL": "openai/fake", "OPENAI_API_KEY": "x"}
	for _, line := range strings.Fields(string(secrets)) {
		name, value, _ := strings.Cut(line, "=")
		s.vars[name] = value
	}
	for _, service := range []string{"nats1", "nats2", "nats3"} {
		s.startNATS(service)
	}
	s.joined()
	return s
}

// ownSchema creates a new schema in the test database and returns its URL.
func ownSchema(t *testing.T) *url.URL {
	t.Helper()
	home := os.Getenv("BELLCORD_POSTGRES")
	if home == "" {
		home = "postgres://postgres@127.0.0.1:5432/test"
	}
	db, err := pgx.Connect(t.Context(), home)
	if err != nil {
		missing(t, "PostgreSQL")
	}
	schema := "bc_" + strings.ToLower(rand.Text())
	if _, err := db.Exec(t.Context(), `CREATE SCHEMA `+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := db.Exec(context.Background(), `DROP SCHEMA `+schema+` CASCADE`)
		if err != nil {
			t.Error(err)
		}
		_ = db.Close(context.Background())
	})
	u, err := url.Parse(home)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u
}

var variable = regexp.MustCompile(`\$(?:\$|\{(\w+)(?:(:[-?])([^}]*))?\}|.)`)

// filled replaces variables with their values, as compose does.
func (s *site) filled(text string) string {
	s.t.Helper()
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		part := variable.FindStringSubmatch(found)
		value := s.vars[part[1]]
		switch {
		case found == "$$":
			return "$"
		case part[1] == "":
			s.t.Fatalf("%q is no variable to compose", found)
		case value == "" && part[2] == ":-":
			return part[3]
		case value == "" && part[2] != ":-":
			s.t.Fatalf("%s is not set", found)
		}
		return value
	})
}

func (s *site) environment(service string) (all []string) {
	s.t.Helper()
	for name := range at(s.t, s.compose, "services", service, "environment").(yamlMap) {
		all = append(all, name+"="+s.filled(wordAt(s.t, s.compose, "services", service, "environment", name)))
	}
	return all
}

// mounted replaces a container's paths with this machine's, as the volumes of a service do.
func (s *site) mounted(service, text string) string {
	s.t.Helper()
	for _, volume := range wordsAt(s.t, s.compose, "services", service, "volumes") {
		part := strings.Split(volume, ":")
		if strings.HasPrefix(part[0], "./certs") {
			text = strings.ReplaceAll(text, part[1], filepath.Join(s.dir, part[0]))
		}
	}
	return text
}
