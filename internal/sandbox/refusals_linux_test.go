package sandbox_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// scene is a server's data directory with two sessions, and a home directory.
type scene struct {
	dir, data, workspace, other, home string
	profile                           sandbox.Profile
	tcp, udp, abstract, socket        string
	victim                            int
}

func newScene(t *testing.T) *scene {
	t.Helper()
	dir := directory(t)
	s := &scene{
		dir: dir, data: filepath.Join(dir, "data"), home: filepath.Join(dir, "home"),
		workspace: filepath.Join(dir, "data/sessions/mine"), other: filepath.Join(dir, "data/sessions/other"),
	}
	for path, content := range map[string]string{
		s.data + "/token": "bc_secret", s.data + "/bellcord.db": "database", s.other + "/notes": "private", s.workspace + "/file": "mine",
		s.home + "/.ssh/id_ed25519": "key", s.home + "/.netrc": "password", s.home + "/notes": "readable", dir + "/outside": "unchanged",
	} {
		write(t, path, content)
	}
	s.profile = sandbox.Profile{
		Own: []string{s.workspace}, Write: []string{dir + "/missing"}, Hide: []string{s.data, s.home + "/.ssh", s.home + "/.netrc", dir + "/missing"}, Network: sandbox.Off,
	}
	s.socket = s.data + "/bellcord.sock"
	s.abstract = "@" + filepath.Base(dir)
	s.listen(t, "unix", s.socket)
	s.listen(t, "unix", s.abstract)
	s.tcp = s.listen(t, "tcp", "127.0.0.1:0")
	s.udp = echo(t)
	victim := exec.CommandContext(t.Context(), "sleep", "600")
	victim.Dir = s.data
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	s.victim = victim.Process.Pid
	return s
}

func (s *scene) listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// echo returns the address of a server that sends packets back.
func echo(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		b := make([]byte, 16)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(b[:n], from)
		}
	}()
	return conn.LocalAddr().String()
}

// attacks returns what must be refused at every level.
func (s *scene) attacks() [][]string {
	pid := strconv.Itoa(s.victim)
	_, port, _ := net.SplitHostPort(s.tcp)
	return [][]string{
		{"read", s.data + "/token"},
		{"read", s.data + "/bellcord.db"},
		{"write", s.data + "/bellcord.db"},
		{"list", s.other},
		{"read", s.other + "/notes"},
		{"read", s.home + "/.ssh/id_ed25519"},
		{"list", s.home + "/.ssh"},
		{"read", s.home + "/.netrc"},
		{"write", s.dir + "/outside"},
		{"write", s.dir + "/new"},
		{"rename", s.dir + "/outside", s.dir + "/moved"},
		{"remove", s.dir + "/outside"},
		{"read", "/proc/" + pid + "/environ"},
		{"open", "/proc/" + pid + "/mem"},
		{"list", "/proc/" + pid + "/root/"},
		{"list", "/proc/" + pid + "/cwd/"},
		{"signal", pid},
		{"ptrace", pid},
		{"dial", "tcp", s.tcp},
		{"dial", "udp", s.udp},
		{"fastopen", port},
		{"dial", "unix", s.socket},
		{"dial", "unix", s.abstract},
	}
}

func probe(args ...string) []string { return append([]string{os.Getenv(probeEnv), "probe"}, args...) }

func TestWrap_CommandAttacks_IsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		for _, attack := range s.attacks() {
			for _, through := range [][]string{nil, {"setsid", "-w", "sh", "-c", `"$@" & wait $!`, "sh"}} {
				out, code := run(t, b, s.profile, s.workspace, append(slices.Clone(through), probe(attack...)...)...)
				if code != 1 || !strings.Contains(out, "refused:") {
					t.Errorf("%v %v: exit code %d: %s", through, attack, code, out)
				}
			}
		}
		if out, code := run(t, b, s.profile, s.workspace, probe("write", s.workspace+"/file")...); code != 0 {
			t.Errorf("the workspace is not writable: %s", out)
		}
		if out, code := run(t, b, s.profile, s.workspace, probe("read", s.home+"/notes")...); code != 0 {
			t.Errorf("a file that is not hidden cannot be read: %s", out)
		}
		if out, code := run(t, b, s.profile, s.workspace, "ls", "-A", s.data); b.Level() == sandbox.Namespaces && (out != "sessions\n" || code != 0) {
			t.Errorf("the data directory contains %q, want the way to the workspace alone", out)
		}
		for path, want := range map[string]string{s.dir + "/outside": "unchanged", s.data + "/bellcord.db": "database", s.workspace + "/file": "changed"} {
			if got, _ := os.ReadFile(path); string(got) != want {
				t.Errorf("%s contains %q, want %q", path, got, want)
			}
		}
	})
}

// The attacks work without a sandbox: otherwise their refusal would show nothing.
func TestWrap_LevelIsNone_RunsCommandUnchanged(t *testing.T) {
	t.Parallel()
	b, err := sandbox.Open(t.Context(), sandbox.Disabled, sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t)
	for _, attack := range s.attacks() {
		if attack[0] == "remove" || attack[0] == "ptrace" { // the file was renamed; the victim would stop
			continue
		}
		if out, code := run(t, b, s.profile, s.workspace, probe(attack...)...); code != 0 {
			t.Errorf("%v: exit code %d: %s", attack, code, out)
		}
	}
	if out, code := run(t, b, s.profile, s.workspace, probe("ptrace", strconv.Itoa(s.victim))...); code != 0 {
		t.Errorf("ptrace: exit code %d: %s", code, out)
	}
	if b.Level() != sandbox.None || len(b.Missing()) != 1 || len(b.Gaps(s.profile)) == 0 {
		t.Errorf("level %s, missing %q", b.Level(), b.Missing())
	}
}

func TestWrap_CommandChangesItsSandbox_IsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		for _, attack := range [][]string{
			{"umount", s.data},
			{"umount", s.workspace},
			{"umount", "/proc"},
			{"remount", "/"},
			{"remount", s.data},
			{"nested", "umount", s.data},
			{"nested", "remount", "/"},
			{"nested", "read", s.data + "/token"},
			{"nested", "write", s.dir + "/outside"},
			{"nested", "dial", "unix", s.socket},
			{"sysctl"},
			{"tiocsti"},
			{"keyring"},
			{"capabilities"},
			{"i386"},
		} {
			if out, code := run(t, b, s.profile, s.workspace, probe(attack...)...); code != 1 || !strings.Contains(out, "refused:") {
				t.Errorf("%v: exit code %d: %s", attack, code, out)
			}
		}
	})
}

// Process 1 keeps capabilities in threads that do not run the command.
func TestWrap_CommandAttacksFirstProcess_IsRefused(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		for _, attack := range [][]string{{"open", "/proc/1/mem"}, {"read", "/proc/1/environ"}, {"list", "/proc/1/root"}, {"open", "/proc/1/fd/4"}, {"ptrace", "1"}} {
			if out, code := run(t, b, s.profile, s.workspace, probe(attack...)...); code != 1 || !strings.Contains(out, "refused:") {
				t.Errorf("%v: exit code %d: %s", attack, code, out)
			}
		}
	})
}

func TestWrap_NetworkIsOn_ReachesTCPButNoSocketsOfServices(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		s.profile.Network = sandbox.On
		if out, code := run(t, b, s.profile, s.workspace, probe("dial", "tcp", s.tcp)...); code != 0 {
			t.Errorf("TCP: exit code %d: %s", code, out)
		}
		for _, address := range []string{s.socket, s.abstract} {
			if out, code := run(t, b, s.profile, s.workspace, probe("dial", "unix", address)...); code != 1 {
				t.Errorf("%s: exit code %d: %s", address, code, out)
			}
		}
	})
}
