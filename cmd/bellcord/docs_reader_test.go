//go:build unix

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reader is a person who types the commands of a document into one shell, in the environment of a
// new installation.
type reader struct {
	t    *testing.T
	home string
	dir  string // where the shell starts
	bin  string // the directory with bellcord; the first one of PATH
	env  []string
	set  string // the shell's options

	settings bool // the home directory has a configuration, see hasSettings
}

// newReader returns a reader with an empty home directory and a project in it. The document needs the given programs.
func newReader(t *testing.T, needs ...string) *reader {
	t.Helper()
	for _, program := range append(needs, "bash") {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program)
		}
	}
	home, err := os.MkdirTemp("", "bc") // short enough for the socket in the data directory
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	dir := filepath.Join(home, "project")       // people do not work in the home directory itself
	bin := filepath.Join(home, ".cache", "bin") // the sandbox of an agent shows the caches, and no other part of /tmp
	program := filepath.Join(bin, "program")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.MkdirAll(bin, 0o700), os.Link(os.Args[0], program)); err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, home: home, dir: dir, bin: bin, set: "set -eu -o pipefail"}
	r.has("bellcord", fmt.Sprintf("BELLCORD_TEST_MAIN=1 exec %q \"$@\"", program))
	r.has("go", fmt.Sprintf("mkdir -p bin && cp %q bin/bellcord", filepath.Join(r.bin, "bellcord"))) // instead of compiling it
	r.env = []string{"HOME=" + home, "PATH=" + r.bin + ":/usr/bin:/bin"}
	return r
}

// has puts a shell script on the reader's PATH.
func (r *reader) has(program, script string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, program), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// elsewhere replaces the ports that a document uses with free ones, so that documents can be tested
// at the same time.
func (r *reader) elsewhere(all []block, ports ...string) []block {
	r.t.Helper()
	changed := slices.Clone(all)
	for _, port := range ports {
		free := freePort(r.t)
		for i, b := range changed {
			changed[i].text = strings.ReplaceAll(b.text, port, free)
			changed[i].output = strings.ReplaceAll(b.output, port, free)
		}
	}
	return changed
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err = errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return port
}

// follows runs the blocks and compares the output of each with the output that the document shows.
// At the end it ends the background jobs that the document left.
func (r *reader) follows(all []block) {
	r.t.Helper()
	out := r.t.TempDir()
	script := r.set + "\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n"
	for i, b := range all {
		script += fmt.Sprintf("{\n%s\n} >%q/%d 2>&1\n", b.text, out, i)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = r.dir, r.env
	output, failure := cmd.CombinedOutput()
	for i, b := range all {
		answer, err := os.ReadFile(filepath.Join(out, fmt.Sprint(i)))
		if err != nil {
			r.t.Fatalf("line %d was not reached: %v %s", b.line, failure, output)
		}
		r.t.Logf("line %d:\n%s\n%s", b.line, b.text, answer)
		r.compares(b, string(answer))
	}
	if failure != nil {
		r.t.Errorf("%v: %s", failure, output)
	}
}

func (r *reader) compares(b block, answer string) {
	r.t.Helper()
	if b.shown != "" {
		want, got := shapeOf(r.t, b.line, b.shown), shapeOf(r.t, b.line, answer)
		if !slices.Equal(want, got) {
			r.t.Errorf("line %d shows\n%s\nbut it is\n%s\nof\n%s", b.line, strings.Join(want, " "), strings.Join(got, " "), answer)
		}
	}
	if b.output != "" && !matches(b.output, r.asAnna(answer)) {
		r.t.Errorf("line %d shows\n%s\nbut it is\n%s", b.line, b.output, answer)
	}
}

// asAnna replaces the test's user and home directory with those of the documents.
func (r *reader) asAnna(answer string) string {
	answer = strings.ReplaceAll(answer, r.home, "/home/anna")
	if me, err := user.Current(); err == nil {
		answer = strings.ReplaceAll(answer, "by "+me.Username+",", "by anna,")
	}
	return answer
}

// varying are the parts of an output that differ from run to run or from machine to machine.
var varying = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\b(\d+m)?\d+(\.\d+)? ?(ms|µs|s)\b`), "DURATION"},
	{regexp.MustCompile(`\b\d+ (bytes|tokens|tok)\b`), "COUNT $1"},
	{regexp.MustCompile(`\bevent \d+`), "event NUMBER"},
	{regexp.MustCompile(`(?m)^ +\d+ terminated: `), "PID terminated: "},
	{regexp.MustCompile(`(pid_namespace|cgroup_empty|process_scan)(: the kernel .*|: no process .*)?`), "PROOF"},
	{regexp.MustCompile(`(?m)^sandbox +.*$`), "sandbox     LEVEL"},
	{regexp.MustCompile(`, (PID namespace ended|cgroup empty|no process found)`), ", PROOF"},
	{regexp.MustCompile(`\((PID namespace ended|cgroup empty|no process found)\)`), "(PROOF)"},
}

// matches reports whether an output is the one that a document shows. Ids, hashes, times and the
// like may differ. An ellipsis stands for any text of a line, and a line with nothing else for any
// number of lines.
func matches(shown, got string) bool {
	for _, v := range varying {
		shown, got = v.pattern.ReplaceAllString(shown, v.name), v.pattern.ReplaceAllString(got, v.name)
	}
	pattern := ""
	for line := range strings.Lines(shown + "\n") {
		if line == "…\n" {
			pattern += `(?:.*\n)*?`
			continue
		}
		pattern += strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
	}
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(got)
}

func TestMatches_OutputDiffersInMoreThanIDsAndTimes_ReturnsFalse(t *testing.T) {
	t.Parallel()
	const shown = "turn     01a1de82-010c-76b4-bf23-475bf13d73c5\n■ stopped by anna after 1.2s · 2 processes ended, cgroup empty\nproof    cgroup_empty\nword1 …"
	const got = "turn     01920000-0000-7000-8000-00000000000a\n■ stopped by anna after 903ms · 2 processes ended, no process found\nproof    process_scan\nword1 word2\n"
	if !matches(shown, got) {
		t.Error("ids, times and proofs are compared")
	}
	for _, change := range [][2]string{{"2 processes", "1 process"}, {"anna", "ben"}, {"stopped", "failed"}, {"proof    process_scan\n", ""}, {"word1 word2\n", "word1 word2\nword3\n"}, {"word1 ", "word2 "}} {
		if other := strings.ReplaceAll(got, change[0], change[1]); matches(shown, other) {
			t.Errorf("the document matches\n%s", other)
		}
	}
	if !matches("a\n…\nb", "a\n1\n2\nb\n") || matches("a\n…\nb", "a\n1\n") {
		t.Error("a line with an ellipsis does not stand for lines")
	}
}
