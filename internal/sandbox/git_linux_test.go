package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// git runs git outside the sandbox.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository returns a repository with one commit.
func repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(directory(t), "repo")
	write(t, dir+"/sub/file", "one")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "config", "user.name", "a")
	git(t, dir, "config", "user.email", "a@example.test")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	return dir
}

func gitProfile(dir string) sandbox.Profile {
	git := sandbox.GitPaths(dir)
	return sandbox.Profile{
		Own: []string{dir}, Write: git.Write, ReadOnly: git.ReadOnly,
		Absent: git.Absent, Links: git.Links, Create: git.Create, Indexes: git.Indexes,
	}
}

// commits fails unless "git commit" works in dir.
func commits(t *testing.T, b *sandbox.Box, dir string) {
	t.Helper()
	write(t, dir+"/new", dir)
	if out, code := run(t, b, gitProfile(dir), dir, "sh", "-ec", "git add new; git commit -qm two; git status --short"); code != 0 || out != "" {
		t.Errorf("git commit in %s: exit code %d: %s", dir, code, out)
	}
	if got := git(t, dir, "log", "-1", "--format=%s"); got != "two" {
		t.Errorf("the last commit is %q", got)
	}
}

func TestGitPaths_CommandCommits_Works(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		repo := repository(t)
		commits(t, b, repo)
		commits(t, b, filepath.Join(repo, "sub"))
		tree := filepath.Join(directory(t), "tree")
		git(t, repo, "worktree", "add", "-q", tree)
		git(t, repo, "worktree", "list")
		commits(t, b, tree)
		super := repository(t)
		git(t, super, "submodule", "--quiet", "add", repo, "deep/module")
		module := filepath.Join(super, "deep/module")
		git(t, module, "config", "user.name", "a")
		git(t, module, "config", "user.email", "a@example.test")
		write(t, module+"/other", "other")
		if out, code := run(t, b, gitProfile(module), module, "sh", "-ec", "git add other; git commit -qm two"); code != 0 {
			t.Errorf("git commit in a submodule: exit code %d: %s", code, out)
		}
	})
}

func TestGitPaths_CommandChangesConfiguration_IsRefused(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		repo := repository(t)
		if err := os.RemoveAll(repo + "/.git/hooks"); err != nil {
			t.Fatal(err)
		}
		super := repository(t)
		git(t, super, "submodule", "--quiet", "add", repo, "module")
		tree := filepath.Join(directory(t), "tree")
		git(t, repo, "worktree", "add", "-q", tree)
		rename := os.Getenv(probeEnv) + " probe rename " // mv would copy and delete
		before := configuration(t, repo, super)
		for _, c := range []struct{ dir, script string }{
			{repo, "git config core.fsmonitor id"},
			{repo, "echo x >> .git/config"},
			{repo, rename + ".git/config .git/old"},
			{repo, "rm -f .git/config"},
			{repo, "cp .git/config c; mv -f c .git/config"},
			{repo, rename + ".git gone"},
			{repo, rename + ".git/hooks .git/gone"},
			{repo, "echo id > .git/hooks/pre-commit"},
			{repo + "/sub", "git config core.fsmonitor id"},
			{repo + "/sub", rename + "../.git ../gone"},
			{tree, "git config core.fsmonitor id"},
			{tree, "rm .git"},
			{tree, rename + ".git gone"},
			{tree, rename + repo + "/.git/worktrees " + repo + "/.git/gone"},
			{super, "echo x >> .git/modules/module/config"},
			{super, rename + ".git/modules .git/gone"},
			{super, rename + ".git/modules/module .git/modules/gone"},
			{super + "/module", "git config core.fsmonitor id"},
		} {
			if out, code := run(t, b, gitProfile(c.dir), c.dir, "sh", "-c", c.script); code == 0 {
				t.Errorf("%s: %q worked: %s", c.dir, c.script, out)
			}
		}
		if after := configuration(t, repo, super); after != before {
			t.Errorf("the configuration was changed:\n%s", after)
		}
		if info, err := os.Stat(repo + "/.git/hooks"); err != nil || !info.IsDir() {
			t.Errorf("the directory of hooks: %v", err)
		}
	})
}

// A file commondir in .git names a directory with another configuration.
func TestGitPaths_CommandNamesAnotherConfiguration_FileIsRenamedAfterItsEnd(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		for script, file := range map[string]string{
			"cp -r .git evil; git config -f evil/config core.fsmonitor id; echo ../evil > .git/commondir": "commondir",
			"git config -f .git/config.worktree core.fsmonitor id":                                        "config.worktree",
		} {
			repo := repository(t)
			git(t, repo, "config", "extensions.worktreeConfig", "true")
			w, err := b.Wrap(gitProfile(repo), []string{"sh", "-ec", script})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), w.Args[0], w.Args[1:]...)
			cmd.Dir, cmd.Env, cmd.ExtraFiles = repo, append(os.Environ(), w.Env...), w.Files
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%q: %v: %s", script, err, out)
			}
			w.Close()
			if got := git(t, repo, "config", "--default", "unset", "core.fsmonitor"); got != "unset" {
				t.Errorf("%q: git runs %q", script, got)
			}
			if _, err := os.Stat(filepath.Join(repo, ".git", file+".from-sandbox")); err != nil {
				t.Error(err)
			}
		}
	})
}

func configuration(t *testing.T, repo, super string) string {
	t.Helper()
	return git(t, repo, "config", "--list", "--local") + git(t, super, "config", "--list", "--local") + git(t, super+"/module", "config", "--list", "--local")
}

// A command can write .git in its workspace, and must not gain a directory by it.
func TestGitPaths_PointerIsForged_ReturnsNoForeignDirectory(t *testing.T) {
	t.Parallel()
	victim := repository(t)
	for name, forge := range map[string]func(dir string){
		"file":     func(dir string) { write(t, dir+"/.git", "gitdir: "+victim+"/.git\n") },
		"worktree": func(dir string) { write(t, dir+"/.git", "gitdir: "+victim+"/.git/worktrees/x\n") },
		"home":     func(dir string) { write(t, dir+"/.git", "gitdir: "+filepath.Dir(victim)+"\n") },
		"link":     func(dir string) { _ = os.Symlink(victim+"/.git", dir+"/.git") },
		"common": func(dir string) {
			git(t, dir, "init", "-q")
			write(t, dir+"/.git/commondir", victim+"/.git\n")
		},
		"modules": func(dir string) {
			git(t, dir, "init", "-q")
			_ = os.Symlink(victim, dir+"/.git/modules")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := directory(t)
			forge(dir)
			paths := sandbox.GitPaths(dir)
			for _, path := range paths.Write {
				if real, err := filepath.EvalSymlinks(path); err != nil || !strings.HasPrefix(real, dir+"/") {
					t.Errorf("got %+v", paths)
				}
			}
		})
	}
}

func TestGitPaths_NoRepository_ReturnsNothing(t *testing.T) {
	t.Parallel()
	if got := sandbox.GitPaths(directory(t)); len(got.Write)+len(got.ReadOnly)+len(got.Absent) != 0 {
		t.Errorf("got %+v", got)
	}
}
