package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

const (
	nobody   = 65534
	baseEnv  = "SANDBOX_TEST_BASE"  // where the tests keep their files
	probeEnv = "SANDBOX_TEST_PROBE" // a copy of this binary that the sandbox shows
	lightEnv = "SANDBOX_TEST_LIGHT" // set: without the work that compiles libraries
)

// TestMain is also the program that attacks from inside the sandbox.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		if err := attack(os.Args[2], os.Args[3:]); err != nil {
			fmt.Println("refused:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 4 && os.Args[1] == "filtered" {
		if err := filtered(os.Args[2], sandbox.Options{Level: sandbox.Level(os.Args[3]), Means: os.Args[4]}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 3 && os.Args[1] == "server" {
		fmt.Println(serveUntilKilled(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else a helper with the race detector sleeps for a second
	os.Exit(runTests(m))
}

// runTests keeps the files of the tests outside of /tmp: there, everything is
// hidden by the command's own /tmp.
func runTests(m *testing.M) int {
	if os.Getenv(baseEnv) == "" {
		parent := "/var/lib"
		if os.Getuid() != 0 {
			parent, _ = os.UserCacheDir()
		}
		base, err := os.MkdirTemp(parent, "bellcord-sandbox-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(base) }()
		probe := filepath.Join(base, "probe")
		if err := errors.Join(os.Chmod(base, 0o755), copyFile(probe, "/proc/self/exe"), os.Setenv(baseEnv, base), os.Setenv(probeEnv, probe)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// TestSandbox_UserIsUnprivileged_PassesAllTests runs the other tests as nobody.
func TestSandbox_UserIsUnprivileged_PassesAllTests(t *testing.T) {
	short.Skip(t)
	if os.Getuid() != 0 {
		t.Skip("the other tests run as an unprivileged user")
	}
	t.Parallel()
	base := directory(t)
	for _, name := range []string{"tmp", "home"} {
		if err := errors.Join(os.Mkdir(filepath.Join(base, name), 0o755), os.Chown(filepath.Join(base, name), nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(base, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	var args []string
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.Command(os.Getenv(probeEnv), args...)
	cmd.Dir = base
	cmd.Env = append(os.Environ(), baseEnv+"="+base, lightEnv+"=1", "HOME="+filepath.Join(base, "home"), "TMPDIR="+filepath.Join(base, "tmp"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}

// directory returns a new directory outside of /tmp.
func directory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv(baseEnv), "t-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

type variant struct {
	name string
	sandbox.Options
}

var variants = []variant{
	{"bubblewrap", sandbox.Options{Level: sandbox.Namespaces, Means: sandbox.Bubblewrap}},
	{"bellcord", sandbox.Options{Level: sandbox.Namespaces, Means: sandbox.Bellcord}},
	{"landlock", sandbox.Options{Level: sandbox.Landlock}},
}

// each runs a test at every level and by every means.
func each(t *testing.T, test func(t *testing.T, b *sandbox.Box)) {
	t.Helper()
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, v))
		})
	}
}

// eachNamespace runs a test by every means of the level Namespaces.
func eachNamespace(t *testing.T, test func(t *testing.T, b *sandbox.Box)) {
	t.Helper()
	each(t, func(t *testing.T, b *sandbox.Box) {
		if b.Level() == sandbox.Namespaces {
			test(t, b)
		}
	})
}

func open(t testing.TB, v variant) *sandbox.Box {
	t.Helper()
	b, err := sandbox.Open(t.Context(), sandbox.Require, v.Options)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err) // a level that is not tested is a failure
		}
		t.Skip(err)
	}
	t.Cleanup(b.Close)
	return b
}

// command returns the wrapped command, ready to start. The files that it needs
// are released at the end of the test.
func command(t testing.TB, b *sandbox.Box, p sandbox.Profile, dir string, args ...string) (*exec.Cmd, *sandbox.Wrapped) {
	t.Helper()
	w, err := b.Wrap(p, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	cmd := exec.CommandContext(t.Context(), w.Args[0], w.Args[1:]...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), w.Env)
	cmd.ExtraFiles = w.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	t.Cleanup(func() {
		if cmd.Process != nil {
			for _, pid := range members(cmd.Process.Pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	return cmd, w
}

// run returns the output and the exit code of a command in the sandbox.
func run(t testing.TB, b *sandbox.Box, p sandbox.Profile, dir string, args ...string) (string, int) {
	t.Helper()
	cmd, w := command(t, b, p, dir, args...)
	defer w.Close()
	return finish(t, cmd)
}

func finish(t testing.TB, cmd *exec.Cmd) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}
