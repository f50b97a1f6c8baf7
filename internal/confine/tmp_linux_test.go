package confine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

const otherProcess = "CONFINE_TEST_OTHER"

// TestMain is also another process that uses the directory of the session "s".
func TestMain(m *testing.M) {
	if parent := os.Getenv(otherProcess); parent != "" {
		dirs := &TempDirs{Parent: parent}
		dirs.Sweep()
		dir, err := dirs.acquire("s")
		if err != nil {
			os.Exit(1)
		}
		_ = os.WriteFile(filepath.Join(dir.tmp(), "other"), nil, 0o600)
		_, _ = os.Stdout.WriteString("ready\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // the test ends the process, or its input
		dirs.release("s", dir)
		dirs.Close(context.Background())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRun_CommandsOfOneSession_ShareTmpUntilItsEnd(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]sandbox.Options{
		"bubblewrap": {Level: sandbox.Namespaces, Means: sandbox.Bubblewrap},
		"namespaces": {Level: sandbox.Namespaces, Means: sandbox.Bellcord},
		"landlock":   {Level: sandbox.Landlock},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := newTestPolicyAt(t, o), outsideTmp(t)
			p.Tmp = &TempDirs{Parent: filepath.Join(outsideTmp(t), "tmp")}
			p.Hide = []string{filepath.Dir(p.Tmp.Parent)}
			run := func(session bellcord.SessionID, script string) string {
				t.Helper()
				out, exit := runIn(t, p, Command{Session: session, Dirs: []string{dir}, Command: proc.Command{Args: []string{"/bin/sh", "-c", script}, Dir: dir}})
				if exit.Code != 0 {
					t.Errorf("%s: %+v: %s", script, exit, out)
				}
				return out
			}
			shared := `test "$TMPDIR" = /tmp && set -- /tmp /var/tmp || set -- "$TMPDIR"; for d; do `
			run("s", shared+`echo mine > $d/file && test "$(stat -c %a $d)" = 700; done`)
			if out := run("s", shared+`cat $d/file; done`); !strings.HasPrefix(out, "mine\n") {
				t.Errorf("the next command reads %q", out)
			}
			run("another", shared+`! cat $d/file; done`)
			run("s", "! ls "+p.Tmp.Parent)
			p.Forget("s")
			run("s", shared+`! cat $d/file; done`)
			p.Tmp.Close(t.Context())
			expectNothing(t, p.Tmp.Parent)
		})
	}
}

func TestTempDirs_SessionEndsWhileACommandRuns_StaysUntilItsEnd(t *testing.T) {
	t.Parallel()
	d := &TempDirs{Parent: outsideTmp(t)}
	first, err := d.acquire("s")
	if err != nil {
		t.Fatal(err)
	}
	d.End("s")
	second, err := d.acquire("s") // opens the session again
	if err != nil || second.path != first.path {
		t.Fatalf("%v, %v", second, err)
	}
	d.release("s", first)
	if _, err := os.Stat(second.tmp()); err != nil {
		t.Error(err)
	}
	d.End("s")
	d.release("s", second)
	if _, err := os.Stat(second.path); err == nil {
		t.Error("the directory is still there")
	}
	d.End("s")
	d.End("never used")
	d.Close(t.Context())
	expectNothing(t, d.Parent)
}

func TestTempDirs_AnotherProcessUsesTheDirectory_ItIsRemovedByTheLast(t *testing.T) {
	t.Parallel()
	d := &TempDirs{Parent: outsideTmp(t)}
	dir, err := d.acquire("s")
	if err != nil {
		t.Fatal(err)
	}
	for _, crash := range []bool{false, true} {
		other := exec.Command("/proc/self/exe")
		other.Env = append(os.Environ(), otherProcess+"="+d.Parent)
		in, err := other.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := other.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir.tmp(), "other")); err != nil {
			t.Errorf("the other process has another directory: %v", err)
		}
		if crash { // this process has ended its use: only the other one has it
			d.End("s")
			d.release("s", dir)
			d.Sweep()
			if _, err := os.Stat(dir.tmp()); err != nil {
				t.Error("the directory of a living process was removed")
			}
			_ = other.Process.Kill()
		}
		_ = in.Close()
		_ = other.Wait()
		if _, err := os.Stat(dir.tmp()); err != nil {
			t.Errorf("crash %v: %v", crash, err)
		}
	}
	d.Sweep()
	d.Close(t.Context())
	expectNothing(t, d.Parent)
}

func TestTempDirs_HostileIDAndContent_StayInsideAndAreRemoved(t *testing.T) {
	t.Parallel()
	parent, elsewhere := outsideTmp(t), outsideTmp(t)
	kept := filepath.Join(elsewhere, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &TempDirs{Parent: filepath.Join(parent, "tmp")}
	for _, id := range []bellcord.SessionID{"../../x", "a\x00b", "\xff", bellcord.SessionID(strings.Repeat("x", 10_000)), "..", "."} {
		dir, err := d.acquire(id)
		if err != nil {
			t.Fatalf("%.20q: %v", id, err)
		}
		locked := filepath.Join(dir.tmp(), "locked")
		for _, err := range []error{os.Symlink(elsewhere, filepath.Join(dir.tmp(), "link")), os.Mkdir(locked, 0o700), os.WriteFile(locked+"/f", nil, 0o400), os.Chmod(locked, 0o500)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		d.release(id, dir)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("next to the directory: %v", entries)
	}
	d.Close(t.Context())
	expectNothing(t, d.Parent)
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestRun_CommandFillsTmp_IsEndedAndMayThenRemoveFiles(t *testing.T) {
	t.Parallel()
	p, dir := newTestPolicyAt(t, sandbox.Options{}), outsideTmp(t)
	p.Tmp, p.TmpBytes = &TempDirs{Parent: outsideTmp(t)}, 1<<20
	t.Cleanup(func() { p.Tmp.Close(t.Context()) })
	command := func(script string) Command {
		return Command{Session: "s", Dirs: []string{dir}, Command: proc.Command{Args: []string{"/bin/sh", "-c", script}, Dir: dir}}
	}
	const fill = `cd "$TMPDIR"; i=0; while :; do head -c 400000 /dev/zero > f$i; i=$((i+1)); sleep 0.1; done`
	if _, exit := runIn(t, p, command(fill)); exit.Limit != LimitTmp {
		t.Errorf("the command that fills it: %+v", exit)
	}
	if _, exit := runIn(t, p, command(`rm "$TMPDIR"/f* && sleep 1.5`)); exit.Code != 0 || exit.Limit != "" {
		t.Errorf("the command that empties it: %+v", exit)
	}
}

func runIn(t *testing.T, p *Policy, c Command) (string, proc.Exit) {
	t.Helper()
	var mu sync.Mutex
	var out strings.Builder
	c.Output = func(data []byte) {
		mu.Lock()
		defer mu.Unlock()
		out.Write(data)
	}
	exit, err := p.Run(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), exit
}

// expectNothing checks that a parent contains only the lock that all processes share.
func expectNothing(t *testing.T, parent string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 || entries[0].Name() != guardName {
		t.Errorf("left: %v, %v", entries, err)
	}
}
