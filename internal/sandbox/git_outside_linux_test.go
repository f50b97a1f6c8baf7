package sandbox_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// What protects a repository also creates a directory and renames files. A command can
// name repositories outside of what it may write: those must stay as they are.
func TestHeld_Git_RepositoriesOutside_StayAsTheyAre(t *testing.T) {
	t.Parallel()
	const gitlink = "160000,1111111111111111111111111111111111111111,other"
	each(t, func(t *testing.T, b *sandbox.Box) {
		for name, c := range map[string]struct {
			before, script string // in the workspace
			outside        string // by the user, while the command runs
			path           string // outside, next to the workspace
			want           bool   // that it exists
		}{
			"hooks of a repository to which .git leads": {before: "ln -s ../other/.git .git", script: "true", path: "other/.git/hooks"},
			"hooks where a submodule leads":             {before: "git init -q .; mkdir .git/modules; ln -s ../../../other/.git .git/modules/m", script: "true", path: "other/.git/hooks"},
			"a configuration of the user": {
				before: "ln -s ../other/.git .git", script: "echo x; read line", outside: "config.worktree", path: "other/.git/config.worktree", want: true,
			},
			"a repository that an index names": {
				before: "git init -q .; mkdir -p .git/worktrees/n; echo $PWD/../file > .git/worktrees/n/gitdir",
				script: "GIT_INDEX_FILE=.git/worktrees/n/index git update-index --add --cacheinfo " + gitlink, path: "other/.git/HEAD", want: true,
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				other := filepath.Join(filepath.Dir(repository(t)), "other")
				rename(t, filepath.Join(filepath.Dir(other), "repo"), other)
				base, work := filepath.Dir(other), filepath.Join(filepath.Dir(other), "work")
				write(t, work+"/sub/file", "")
				write(t, base+"/file", "")
				if err := os.RemoveAll(other + "/.git/hooks"); err != nil {
					t.Fatal(err)
				}
				succeeds(t, b, sandbox.Profile{Own: []string{work}}, work, c.before)
				cmd, w := command(t, b, gitProfile(work), work, "sh", "-c", c.script)
				if c.outside == "" {
					finish(t, cmd)
				} else {
					in, out := pipes(t, cmd)
					_, _ = out.Read(make([]byte, 1)) // it runs
					write(t, filepath.Join(other, ".git", c.outside), "")
					_ = in.Close()
					_ = cmd.Wait()
				}
				w.Close()
				if _, err := os.Lstat(filepath.Join(base, c.path)); (err == nil) != c.want {
					t.Errorf("%s: %v", c.path, err)
				}
			})
		}
	})
}

// pipes starts a command, and returns its input and its output.
func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}
