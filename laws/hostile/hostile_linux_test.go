package hostile_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/testkit/short"
	"github.com/bellcord/bellcord/proc"
)

var (
	commands = flag.Int("commands", 40, "number of commands at every level")
	seed     = flag.Uint64("seed", 0, "of the first world; 0: drawn")
	level    = flag.String("level", "", "only this level")
)

const (
	nobody   = 65534
	baseEnv  = "HOSTILE_TEST_BASE"  // where the tests keep their files, outside of /tmp
	probeEnv = "HOSTILE_TEST_PROBE" // a copy of this binary that the sandbox shows
	// most limits a command: a hostile workspace must not make it wait.
	most = time.Minute
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == probeWord {
		probe(os.Args[2])
		os.Exit(0)
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else a helper with the race detector sleeps for a second
	_ = os.Setenv("HOSTILE_TEST_SECRET", canary) // that other processes may not see
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if os.Getenv(baseEnv) != "" {
		return m.Run()
	}
	parent := "/var/lib"
	if os.Getuid() != 0 {
		parent, _ = os.UserCacheDir()
	}
	base, err := os.MkdirTemp(parent, "bellcord-hostile-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = remove(base) }()
	program, err := os.ReadFile("/proc/self/exe")
	probe := filepath.Join(base, "probe")
	err = errors.Join(err, os.Chmod(base, 0o755), os.WriteFile(probe, program, 0o755), os.Setenv(baseEnv, base), os.Setenv(probeEnv, probe))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv(baseEnv), "t-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove(dir) })
	return dir
}

var levels = map[string]sandbox.Options{
	"bubblewrap": {Level: sandbox.Namespaces, Means: sandbox.Bubblewrap},
	"namespaces": {Level: sandbox.Namespaces, Means: sandbox.Bellcord},
	"landlock":   {Level: sandbox.Landlock},
}

// fuzzer runs worlds at one level.
type fuzzer struct {
	t        *testing.T
	box      *sandbox.Box
	keeper   *proc.Keeper
	base     string
	template string // a repository with a submodule

	mutate            func(w *world)      // before each command; nil: the policy stays as it is
	recipe            func(d draw) recipe // nil: all
	commands, refused int
	reasons           map[string]int // of the refusals
	found             map[harm]int
	report            []string
}

func newFuzzer(t *testing.T, o sandbox.Options) *fuzzer {
	t.Helper()
	box, err := sandbox.Open(t.Context(), sandbox.Require, o)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err) // a level that is not tested is a failure
		}
		t.Skip(err)
	}
	t.Cleanup(box.Close)
	keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
	f := &fuzzer{t: t, box: box, keeper: keeper, base: directory(t), found: map[harm]int{}, reasons: map[string]int{}}
	f.template = filepath.Join(f.base, "template")
	f.createTemplate()
	return f
}

// createTemplate creates a repository with one commit and one submodule.
func (f *fuzzer) createTemplate() {
	script := `set -e; git init -q -b main m; cd m; echo m > m; git add m; git commit -qm m; cd ..
		git init -q -b main template; cd template; echo file > file; git add file; git -c protocol.file.allow=always submodule --quiet add ../m m; git commit -qm one
		rm -rf .git/hooks/* .git/modules/m/hooks/*; mkdir -p .git/hooks .git/modules/m/hooks; echo '# none' | tee .git/hooks/kept > .git/modules/m/hooks/kept`
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = f.base
	cmd.Env = []string{"HOME=" + f.base, "PATH=" + os.Getenv("PATH"), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a"}
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("%v: %s", err, out)
	}
}

// world runs the commands of one world, which a seed determines but for the moments.
func (f *fuzzer) world(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	w, err := newWorld(filepath.Join(f.base, "w"+strconv.FormatUint(seed, 10)), f.template, r, f.box, f.keeper)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() {
		if err := w.close(); err != nil {
			f.t.Errorf("seed %d: %v", seed, err)
		}
	}()
	d, attack := draw{w, r}, draw.recipe
	if f.recipe != nil {
		attack = f.recipe
	}
	a, b := attack(d), attack(d)
	plans := [][]step{{}} // creates what every command creates, such as caches
	for i := range max(len(a.commands), len(b.commands)) {
		for _, one := range []recipe{a, b} {
			if i < len(one.commands) {
				plans = append(plans, append(slices.Clone(one.commands[i]), d.attacks()...))
			}
		}
	}
	plans = append(plans, d.attacks())
	var running []*proc.Running
	o := (*observer)(nil)
	for i, plan := range plans {
		if i == 1 {
			o = newObserver(w)
			running = f.background(w, a, b)
		}
		if i == len(plans)-1 {
			end(running)
		}
		out := f.command(w, plan)
		if o == nil {
			continue
		}
		for h, what := range o.looks(out, len(running) == 0 || i == len(plans)-1) {
			f.found[h]++
			f.report = append(f.report, fmt.Sprintf("seed %d, command %d of %d, kind %d: %s: %s\nplan: %.2000q", seed, i, len(plans), w.kind, h, what, fmt.Sprint(plan)))
		}
	}
}

// command runs one command.
func (f *fuzzer) command(w *world, plan []step) string {
	if f.mutate != nil {
		f.mutate(w)
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), most)
	defer cancel()
	f.commands++
	out, err := w.run(ctx, plan)
	if at := strings.Index(out, "bellcord: sandbox: "); at >= 0 || strings.HasPrefix(out, "bwrap: ") {
		f.refuse(out[max(at, 0):])
	} else if err != nil {
		f.refuse(err.Error())
	}
	if ctx.Err() != nil {
		f.t.Errorf("a command did not end: %q", plan)
	}
	return out
}

// refuse counts a command that did not begin. Paths are left out of the reason.
func (f *fuzzer) refuse(reason string) {
	f.refused++
	line, _, _ := strings.Cut(reason, "\n")
	f.reasons[regexp.MustCompile(`/\S*`).ReplaceAllString(line, "PATH")]++
}

// background starts the background commands of recipes, and waits until they run.
func (f *fuzzer) background(w *world, all ...recipe) []*proc.Running {
	var running []*proc.Running
	for _, one := range all {
		if len(one.background) == 0 {
			continue
		}
		if f.mutate != nil {
			f.mutate(w)
		}
		c := w.command(one.background, nil)
		c.Background = true
		f.commands++
		started, err := w.policy.Start(c)
		if err != nil {
			f.refuse(err.Error())
			continue
		}
		_, _ = started.Stdout.Read(make([]byte, 64)) // it says that it spins, or ends
		running = append(running, started)
	}
	return running
}

func end(all []*proc.Running) {
	hurry := make(chan struct{})
	close(hurry)
	for _, r := range all {
		r.End(hurry)
	}
}

// TestHeld_HostileWorkspaces_NoCommandDoesHarm is the fuzzer.
func TestHeld_HostileWorkspaces_NoCommandDoesHarm(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for name, options := range levels {
		t.Run(name, func(t *testing.T) {
			if *level != "" && *level != name {
				t.Skip("not this level")
			}
			t.Parallel()
			f, first, last := newFuzzer(t, options), *seed, uint64(0)
			if first == 0 {
				first = rand.Uint64N(1 << 40)
			}
			began := time.Now()
			for last = first; f.commands < *commands && len(f.report) < 20; last++ {
				f.world(last)
			}
			t.Logf("%s, user %d: %d commands in worlds %d to %d, %d of them refused before they began, %v: harm: %v; reasons of refusals: %v", name, os.Getuid(), f.commands, first, last-1, f.refused, time.Since(began).Round(time.Second), f.found, f.reasons)
			for _, text := range f.report {
				t.Error(text)
			}
			if f.refused > f.commands/2 {
				t.Error("most commands did not begin: the fuzzer tries nothing")
			}
		})
	}
}

// TestHeld_HostileWorkspaces_SandboxIsWeakened_HarmIsFound shows that the fuzzer can
// fail.
func TestHeld_HostileWorkspaces_SandboxIsWeakened_HarmIsFound(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]struct {
		mutate func(w *world)
		recipe func(d draw) recipe
		want   []harm
	}{
		"nothing is hidden": {func(w *world) { w.policy.Hide, w.policy.Secrets = nil, nil }, nil, []harm{secretRead}},
		"there is no sandbox": {
			func(w *world) { w.policy.Open = nil }, nil,
			[]harm{secretRead, outsideChange, socketReached, gitChanged, programRan},
		},
		"links to caches are followed": {
			func(w *world) {
				for i, path := range w.policy.Write {
					if real, err := filepath.EvalSymlinks(path); err == nil {
						w.policy.Write[i] = real
					}
				}
			},
			draw.cacheLink,
			[]harm{outsideChange},
		},
		"git is not protected": {func(w *world) { w.policy.Write, w.dirs = append(w.policy.Write, w.dirs...), nil }, nil, []harm{gitChanged, programRan}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFuzzer(t, levels["namespaces"])
			f.mutate, f.recipe = m.mutate, m.recipe
			missing := func() []harm {
				return slices.DeleteFunc(slices.Clone(m.want), func(h harm) bool { return f.found[h] > 0 })
			}
			for s := uint64(1); f.commands < 3000 && len(missing()) > 0; s++ {
				f.world(s)
			}
			if left := missing(); len(left) > 0 {
				t.Errorf("%d commands, and the fuzzer has not found: %q", f.commands, left)
			}
			t.Logf("found after %d commands", f.commands)
		})
	}
}

// TestHeld_HostileWorkspaces_UserIsUnprivileged_PassesAllTests runs the other tests as
// nobody.
func TestHeld_HostileWorkspaces_UserIsUnprivileged_PassesAllTests(t *testing.T) {
	short.Skip(t)
	if os.Getuid() != 0 {
		t.Skip("the other tests run as an unprivileged user")
	}
	t.Parallel()
	base := directory(t)
	if err := errors.Join(os.Mkdir(base+"/tmp", 0o755), os.Chown(base+"/tmp", nobody, nobody), os.Chown(base, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Getenv(probeEnv), "-test.run", "TestHeld_HostileWorkspaces_NoCommandDoesHarm", "-test.v",
		"-commands", strconv.Itoa(*commands), "-seed", strconv.FormatUint(*seed, 10), "-level", *level)
	cmd.Dir = base
	cmd.Env = append(os.Environ(), baseEnv+"="+base, "HOME="+base, "TMPDIR="+base+"/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("as nobody: %v", err)
	}
}
