//go:build linux

package restore_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/undo/restore"
)

var vims = flag.Int("vims", 5, "undos with a real vim for each way to save; 100 is the full run")

// vim is a real vim in a real terminal.
type vim struct {
	t      *testing.T
	socket string
}

// startVim opens a file in vim, which saves by rename or in place.
func startVim(t *testing.T, editor, base, path, backupcopy string) *vim {
	t.Helper()
	v := &vim{t, filepath.Join(base, "tmux")}
	v.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24",
		editor, "-u", "NONE", "-N", "-n", "-c", "set backupcopy="+backupcopy+" writebackup nobackup shortmess+=A", path)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", v.socket, "kill-server").Run() })
	v.waitFor(has("new f"))
	return v
}

func (v *vim) tmux(args ...string) {
	v.t.Helper()
	if out, err := exec.Command("tmux", append([]string{"-S", v.socket}, args...)...).CombinedOutput(); err != nil {
		v.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
}

// edit types a text at the begin of the file. Vim has it, and has not saved it.
func (v *vim) edit(text string) {
	v.tmux("send-keys", "-t", ":", "ggO"+text)
	v.waitFor(func(screen string) bool { return strings.Contains(screen, text) && strings.Contains(screen, "INSERT") })
	v.tmux("send-keys", "-t", ":", "Escape")
	v.waitFor(func(screen string) bool { return !strings.Contains(screen, "INSERT") })
}

// save types the command that saves. It does not wait for vim.
func (v *vim) save() { v.tmux("send-keys", "-t", ":", ":w!", "Enter") }

// waitFor waits for a screen. If vim asks whether to overwrite a file
// that has changed, the person answers yes.
func (v *vim) waitFor(arrived func(screen string) bool) {
	v.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		out, _ := exec.Command("tmux", "-S", v.socket, "capture-pane", "-p", "-t", ":").Output()
		screen := string(out)
		switch {
		case arrived(screen):
			return
		case strings.Contains(screen, "(y/n)?") && !strings.Contains(screen, "(y/n)?y"):
			v.tmux("send-keys", "-t", ":", "y")
		case strings.Contains(screen, "Press ENTER"):
			v.t.Fatalf("vim could not save:\n%s", screen)
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("vim does not answer; its screen:\n%s", screen)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func has(text string) func(string) bool {
	return func(screen string) bool { return strings.Contains(screen, text) }
}

func findVim(t *testing.T) string {
	t.Helper()
	missing := "tmux"
	if _, err := exec.LookPath("tmux"); err == nil {
		for _, name := range []string{"vim", "vim.tiny", "vi"} {
			if path, err := exec.LookPath(name); err == nil {
				return path
			}
		}
		missing = "vim"
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", missing)
	}
	t.Skipf("%s is not installed", missing)
	return ""
}

// U6, U7: a person saves a file in a real vim while an undo of the same file runs
// in another process. Vim's bytes are at the path, or reported in the trash.
func TestLawU6AndU7_RealVimSavesMeanwhile_LosesNothing(t *testing.T) {
	t.Parallel()
	editor := findVim(t)
	for _, backupcopy := range []string{"no", "yes"} { // a new file and a rename; in place
		t.Run("backupcopy="+backupcopy, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(21, uint64(len(backupcopy))))
			during, atPath := 0, 0
			for n := range *vims {
				wasDuring, isAtPath := vimRun(t, editor, backupcopy, n, random)
				if t.Failed() {
					t.Fatalf("run %d", n)
				}
				if wasDuring {
					during++
				}
				if isAtPath {
					atPath++
				}
			}
			t.Logf("%d undos, %d saves while the undo ran: 0 lost, %d at the path, %d in the trash and reported", *vims, during, atPath, *vims-atPath)
		})
	}
}

// vimRun undoes a turn while vim saves one of its files. It reports whether vim
// saved before the end of the undo, and whether the text is at the path.
func vimRun(t *testing.T, editor, backupcopy string, n int, random *rand.Rand) (during, atPath bool) {
	t.Helper()
	before, after := world{}, world{}
	for i := range 8 {
		path := fmt.Sprint("f", i)
		after[path] = file("new " + path + "\n")
		if i != 3 { // created by the turn
			before[path] = file("old " + path + "\n")
		}
	}
	p := newPlace(t, after)
	p.prepare(t, keep(before), changes(before, after))
	path := fmt.Sprint("f", 2+random.IntN(2))
	text := fmt.Sprintf("typed by a person %d %d", n, random.Uint64())
	v := startVim(t, editor, filepath.Dir(p.root), filepath.Join(p.root, path), backupcopy)
	v.edit(text)
	at, pause, reached := 1+random.IntN(75), rand.N(30*time.Millisecond), 0
	var child *os.Process
	p.started = func(process *os.Process) { child = process }
	p.run(t, 0, func(string) {
		if reached++; reached == at {
			must(t, child.Signal(syscall.SIGSTOP)) // the undo stands still for a moment, as on a busy machine
			v.save()
			<-time.After(pause)
			must(t, child.Signal(syscall.SIGCONT))
		}
	})
	if reached < at {
		v.save()
	}
	isAtPath, isInTrash := p.locate(t, path, text)
	during = isAtPath || isInTrash
	v.waitFor(has(" written"))
	outcomes, err := restore.Resume(t.Context(), restore.Options{Dir: p.dir})
	must(t, err)
	told := byPath(outcomes)
	atPath, _ = p.locate(t, path, text)
	// A write in place can come after the last look of the undo: then the collection
	// reports it. A new file at the path cannot.
	if told[path].Result == restore.Late || backupcopy == "no" {
		p.wantKept(t, path, text, told)
	} else {
		p.wantCollected(t, path, text, told)
	}
	for i := range 8 {
		if other := fmt.Sprint("f", i); other != path && told[other].Result != restore.Restored {
			t.Errorf("%s: %v", other, told[other])
		}
	}
	entries, err := os.ReadDir(p.root)
	must(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "~") {
			t.Errorf("vim's backup %s was left", e.Name())
		}
	}
	v.tmux("kill-server")
	return during, atPath
}
