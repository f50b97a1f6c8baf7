package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

// canary is in every secret. No command may print it.
const canary = "canary-5d1f"

// session is the session of every command in a world.
const session = bellcord.SessionID("hostile")

// secretNames are the names of secrets, which commands look for behind their links.
var secretNames = []string{"id_ed25519", "token", "notes", "hosts.yml", "credentials", "env", ".ssh/id_ed25519", "bellcord.db"}

// world is one workspace, what surrounds it, and the policy of its commands.
type world struct {
	base, home, data, work, beside, main, pwned string

	secrets []string // paths of files with the canary
	dirs    []string // of the session
	kind    kind
	policy  *confine.Policy
	level   sandbox.Level
	user    []string // the environment of the user's own git
	reached reached
	closers []io.Closer
	gitlink bool // git of the user enters a repository that a command has created
}

// kind is how a workspace begins.
type kind int

const (
	withRepository kind = iota // with a submodule
	withoutRepository
	withWorktree // .git is a file, and the repository is outside
	atHome       // the session works in the home directory, which is a repository
	nested       // the session works also in a directory of the first one
	inData       // a workspace that Bellcord has created
	kinds
)

// reached counts what arrived at the sockets outside.
type reached struct {
	mu    sync.Mutex
	names []string
}

func (r *reached) add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
}

func (r *reached) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.names = nil }()
	return r.names
}

// newWorld creates a world in base.
func newWorld(base, template string, r *rand.Rand, box *sandbox.Box, keeper *proc.Keeper) (*world, error) {
	w := &world{
		base: base, home: base + "/home", data: base + "/data", work: base + "/work", beside: base + "/beside",
		main: base + "/main", pwned: base + "/pwned", kind: kind(r.IntN(int(kinds))), level: box.Level(),
	}
	switch w.kind {
	case atHome:
		w.work = w.home
	case inData:
		w.work = w.data + "/workspaces/mine"
	case withRepository, withoutRepository, withWorktree, nested, kinds:
	}
	w.dirs = []string{w.work}
	w.secrets = []string{
		w.home + "/.ssh/id_ed25519", w.home + "/.aws/credentials", w.home + "/.config/gh/hosts.yml", w.home + "/.netrc", w.data + "/token",
		w.data + "/bellcord.db", w.data + "/workspaces/other/notes", base + "/config/bellcord/config.toml", w.work + "/private/deep/env",
	}
	var all error
	for _, path := range w.secrets {
		all = errors.Join(all, put(path, canary))
	}
	for _, path := range []string{w.home + "/.bashrc", w.beside + "/file", w.beside + "/sub/file", w.work + "/sub/file", w.work + "/private/file"} {
		all = errors.Join(all, put(path, "unchanged"))
	}
	for _, dir := range []string{w.home + "/.cache", w.data + "/tmp", w.pwned} {
		all = errors.Join(all, os.MkdirAll(dir, 0o755))
	}
	all = errors.Join(all, w.addRepository(template), w.listen())
	w.user = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=1"}
	w.policy = w.newPolicy(box, keeper, r)
	return w, all
}

// newPolicy returns the policy that the application creates, for the world's directories.
func (w *world) newPolicy(box *sandbox.Box, keeper *proc.Keeper, r *rand.Rand) *confine.Policy {
	var tools []string
	if r.IntN(4) == 0 { // the setting home = "hidden"
		tools = confine.Toolchains(w.home)
	}
	return &confine.Policy{
		Keeper: keeper, Open: func() (*sandbox.Box, error) { return box, nil },
		Hide: []string{w.data, w.base + "/config/bellcord"}, Workspaces: w.data + "/workspaces", Tools: tools,
		Secrets: append(confine.Credentials(w.home), w.work+"/private/deep/env"),
		Write:   append(confine.Caches(w.home), w.home+"/.cache/target"), Home: w.home, Caches: []string{w.home + "/.cache"},
		Network: []sandbox.Network{sandbox.Proxy, sandbox.Off}[r.IntN(2)], TmpBytes: 1 << 26,
		Tmp: &confine.TempDirs{Parent: w.data + "/tmp"},
	}
}

// addRepository puts the repository of the template where the kind of the world has one.
func (w *world) addRepository(template string) error {
	switch w.kind {
	case withoutRepository, inData:
		return nil
	case withWorktree:
		tree := w.main + "/.git/worktrees/tree"
		return errors.Join(os.CopyFS(w.main, os.DirFS(template)),
			put(w.work+"/.git", "gitdir: "+tree+"\n"), put(tree+"/gitdir", w.work+"/.git\n"), put(tree+"/commondir", "../..\n"),
			put(tree+"/HEAD", "ref: refs/heads/tree\n"), put(w.main+"/.git/refs/heads/tree", read1(template+"/.git/refs/heads/main")),
			os.CopyFS(w.main+"/.git/worktrees/other", os.DirFS(tree)))
	case nested:
		w.dirs = append(w.dirs, w.work+"/sub")
	case withRepository, atHome, kinds:
	}
	return os.CopyFS(w.work, os.DirFS(template))
}

// listen opens the sockets that no command may reach.
func (w *world) listen() error {
	_ = os.Remove("/run/bellcord-hostile") // fails without root
	addresses := [][2]string{
		{"unix", w.data + "/bellcord.sock"}, {"unix", w.home + "/.ssh/agent.sock"}, {"unix", "@" + w.base}, {"tcp", "127.0.0.1:0"},
	}
	for i, a := range addresses {
		l, err := net.Listen(a[0], a[1])
		if err != nil {
			return err
		}
		w.closers = append(w.closers, l)
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_ = conn.Close()
				w.reached.add(l.Addr().String())
			}
		}()
		addresses[i][1] = l.Addr().String()
	}
	return nil
}

func (w *world) addresses() [][2]string {
	var all [][2]string
	for _, c := range w.closers {
		a := c.(net.Listener).Addr()
		all = append(all, [2]string{a.Network(), a.String()})
	}
	return all
}

// close ends the world.
func (w *world) close() error {
	w.policy.Forget(session)
	w.policy.Tmp.Close(context.Background())
	for _, c := range w.closers {
		_ = c.Close()
	}
	return remove(w.base)
}

// run runs a plan in the sandbox, and returns its output.
func (w *world) run(ctx context.Context, plan []step) (string, error) {
	var out strings.Builder
	var mu sync.Mutex
	_, err := w.policy.Run(ctx, w.command(plan, func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		out.Write(b)
	}), nil)
	mu.Lock()
	defer mu.Unlock()
	return out.String(), err
}

func (w *world) command(plan []step, output func([]byte)) confine.Command {
	return confine.Command{
		Command: proc.Command{
			Args: []string{os.Getenv(probeEnv), probeWord, encode(plan)}, Dir: w.work, Output: output, Bare: true,
			Env: []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "SECRETS=" + strings.Join(w.secrets, ":"), "GORACE=atexit_sleep_ms=0"},
		},
		Session: session, Dirs: w.dirs,
	}
}

// userGit runs git as the user does, outside of the sandbox.
func (w *world) userGit() {
	args := []string{"status", "--short"}
	if w.gitlink { // a documented gap: git enters repositories that a command has created
		args = append(args, "--ignore-submodules=all")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.work, w.user
	_ = cmd.Run() // a broken repository is refused
}

func put(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600))
}

func read1(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(b)
}

// remove removes a directory, also if a command has removed the rights to do so.
func remove(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil && !errors.Is(err, syscall.ENOENT) {
		return err
	}
	return nil
}
