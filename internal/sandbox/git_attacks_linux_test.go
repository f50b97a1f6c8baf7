package sandbox_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// After each command the user's own git runs outside the sandbox, and must run no
// program that the command has named.
func TestHeld_Git_OfTheUser_RunsNoProgramOfACommand(t *testing.T) {
	t.Parallel()
	const evil = `cp -rL .git "$E"; git config -f "$E/config" core.fsmonitor "touch $PWNED; false"; `
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		earlier := func(script string) func(t *testing.T, repo string) (session, status string) {
			return func(t *testing.T, repo string) (session, status string) {
				t.Helper()
				git(t, repo, "submodule", "--quiet", "add", repository(t), "deep/module")
				succeeds(t, b, gitProfile(repo), repo, script)
				return repo, repo
			}
		}
		for name, c := range map[string]struct {
			prepare func(t *testing.T, repo string) (session, status string)
			script  string
		}{
			"commondir, and the name that it gets is taken by a directory": {
				script: evil + "mkdir -p .git/commondir.from-sandbox/x; echo $E > .git/commondir",
			},
			"commondir, and nothing in the repository can be renamed": {
				script: evil + "echo $E > .git/commondir; chmod 555 .git",
			},
			"commondir is a directory": {script: "mkdir -p .git/commondir/x"},
			"commondir of another worktree": {
				prepare: worktree,
				script:  evil + "echo $E > .git/worktrees/tree/commondir",
			},
			"a worktree in the session's directory gets another repository": {
				prepare: func(t *testing.T, repo string) (session, status string) {
					t.Helper()
					git(t, repo, "worktree", "add", "-q", "wt")
					return repo, repo + "/wt"
				},
				script: evil + "rm -f wt/.git; mv wt gone; mkdir -p wt; echo gitdir: $E > wt/.git",
			},
			"another worktree is replaced": {
				prepare: worktree,
				script:  evil + "cp -r .git/worktrees/tree .git/t; echo $E > .git/t/commondir; rm -rf .git/worktrees; mkdir .git/worktrees; mv .git/t .git/worktrees/tree",
			},
			".git is a link": {
				prepare: linkedRepository,
				script:  `git config core.fsmonitor "touch $PWNED; false"`,
			},
			".git is a link that is replaced": {
				prepare: linkedRepository,
				script:  evil + `rm .git; ln -s evil .git`,
			},
			"hooks is a link": {
				prepare: linkedHooks,
				script:  `printf "#!/bin/sh\ntouch $PWNED\n" > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change`,
			},
			"hooks is a link, and the directory above its target is replaced": {
				prepare: linkedHooks,
				script:  `mv tools old; mkdir -p tools/hooks; printf "#!/bin/sh\ntouch $PWNED\n" > tools/hooks/post-index-change; chmod +x tools/hooks/post-index-change`,
			},
			"the repository was broken by another command": {
				prepare: earlier("mv .git/HEAD .git/H; mv .git/objects .git/O"),
				script:  `printf "[core]\nrepositoryformatversion = 0\nfsmonitor = \"touch $PWNED; false\"\n" > .git/config; mv .git/H .git/HEAD; mv .git/O .git/objects`,
			},
			"the directory itself becomes the repository": {
				script: `cp -r .git/* .; printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = $PWD\nfsmonitor = \"touch $PWNED; false\"\n" > config; rm .git/HEAD`,
			},
			"a submodule was broken by another command": {
				prepare: earlier("mv .git/modules/deep/module/HEAD .git/modules/deep/module/H"),
				script:  `cd .git/modules/deep/module; git config -f config core.fsmonitor "touch $PWNED; false"; mv H HEAD`,
			},
			"a submodule is inside a repository of another command": {
				prepare: earlier("cd .git/modules/deep; mkdir objects refs; cp module/HEAD HEAD"),
				script:  `git config -f .git/modules/deep/module/config core.fsmonitor "touch $PWNED; false"`,
			},
			"a submodule has the name of a part of a repository": {
				prepare: func(t *testing.T, repo string) (session, status string) {
					t.Helper()
					git(t, repo, "submodule", "--quiet", "add", "--name", "src/modules/logs/objects", repository(t), "deep")
					succeeds(t, b, gitProfile(repo), repo, "cd .git/modules/src; mkdir objects refs; cp ../../HEAD HEAD")
					return repo, repo
				},
				script: `git config -f .git/modules/src/modules/logs/objects/config core.fsmonitor "touch $PWNED; false"`,
			},
			"the configuration does not exist": {
				prepare: func(t *testing.T, repo string) (string, string) {
					t.Helper()
					if err := os.Remove(repo + "/.git/config"); err != nil {
						t.Fatal(err)
					}
					return repo, repo
				},
				script: `git config core.fsmonitor "touch $PWNED; false"`,
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				repo := repository(t)
				session, status := repo, repo
				if c.prepare != nil {
					session, status = c.prepare(t, repo)
				}
				runsNothing(t, b, session, status, c.script,
					"git status --short; touch sub/file; git add .; git -c user.name=a -c user.email=a@example.test commit -qm x")
			})
		}
	})
}

// linkedRepository makes .git a link.
func linkedRepository(t *testing.T, repo string) (session, status string) {
	t.Helper()
	rename(t, repo+"/.git", repo+"/.real")
	link(t, ".real", repo+"/.git")
	return repo, repo
}

// linkedHooks makes the directory of hooks a link.
func linkedHooks(t *testing.T, repo string) (session, status string) {
	t.Helper()
	rename(t, repo+"/.git/hooks", repo+"/tools/hooks")
	link(t, "../tools/hooks", repo+"/.git/hooks")
	return repo, repo
}

func worktree(t *testing.T, repo string) (session, status string) {
	t.Helper()
	tree := filepath.Join(filepath.Dir(repo), "tree")
	git(t, repo, "worktree", "add", "-q", tree)
	return repo, tree
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// A link that the user has made, and that no command has changed, stays.
func TestGitPaths_LinksOfTheUser_StayAndCommitsWork(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		repo := repository(t)
		linkedHooks(t, repo)
		linkedRepository(t, repo)
		write(t, repo+"/.git/info/exclude", ".real\ntools\n")
		commits(t, b, repo)
		for path, want := range map[string]string{"/.git": ".real", "/.git/hooks": "../tools/hooks"} {
			if got, err := os.Readlink(repo + path); err != nil || got != want {
				t.Errorf("%s leads to %q: %v", path, got, err)
			}
		}
	})
}

// A pipe in place of a file that is read before the command starts must not block it.
func TestHeld_Git_PointersArePipes_CommandStarts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		for _, pipe := range []string{"gitdir", "config", "HEAD"} {
			dir := directory(t)
			write(t, dir+"/work/.git", "gitdir: "+dir+"/work/repo/worktrees/x\n")
			write(t, dir+"/work/repo/worktrees/x/HEAD", "")
			for _, part := range []string{"objects", "refs"} {
				if err := os.MkdirAll(filepath.Join(dir, "work/repo/worktrees/x", part), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "work/repo/worktrees/x", pipe)
			_ = os.Remove(path)
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, code := run(t, b, gitProfile(dir+"/work"), dir+"/work", "echo", "ran"); code != 0 || out != "ran\n" {
				t.Errorf("%s: exit code %d: %s", pipe, code, out)
			}
		}
	})
}

func TestHeld_Git_DirectoriesArePipes_CommandStarts(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		repo := repository(t)
		succeeds(t, b, gitProfile(repo), repo, "mkfifo .git/modules .git/worktrees; rm .git/index; mkfifo .git/index")
		succeeds(t, b, gitProfile(repo), repo, "true")
	})
}

// With more directories than are looked at, none can be changed: one of them could be
// a submodule whose configuration is not protected.
func TestHeld_Git_VeryManyModules_AreReadOnly(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		repo := repository(t)
		succeeds(t, b, gitProfile(repo), repo, "mkdir .git/modules; cd .git/modules; seq -f 'd%g' 1 1200 | xargs mkdir; cp -r ../../.git/refs z")
		fails(t, b, gitProfile(repo), repo, "echo x > .git/modules/z/config")
		fails(t, b, gitProfile(repo), repo, "rmdir .git/modules/d7")
	})
}
