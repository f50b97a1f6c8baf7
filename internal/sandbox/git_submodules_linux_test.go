package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// evilModule creates a repository in the directory sub2, which runs a program if git
// enters it.
const evilModule = `git init -q sub2; cd sub2; git -c user.name=a -c user.email=a@example.test commit -q --allow-empty -m s
git config core.fsmonitor "touch $PWNED; false"; cd ..; `

// The user's git enters the submodules that the index names, and runs what their
// configurations name.
func TestHeld_Git_SubmodulesOfACommand_AreNotEntered(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		for name, c := range map[string]struct {
			prepare func(t *testing.T, repo string)
			script  string
		}{
			"added":                            {script: evilModule + "git add sub2"},
			"added below a directory":          {script: evilModule + "mkdir -p a/b; mv sub2 a/b; git add a/b/sub2"},
			"added with an index of version 4": {script: evilModule + "git update-index --index-version 4; git add sub2"},
			"added to a split index":           {script: evilModule + "git add sub2; git update-index --split-index"},
			"added to a repository with other hashes": {
				prepare: func(t *testing.T, repo string) {
					t.Helper()
					if err := os.RemoveAll(repo + "/.git"); err != nil {
						t.Fatal(err)
					}
					git(t, repo, "init", "-q", "--object-format=sha256")
					git(t, repo, "add", ".")
					git(t, repo, "commit", "-qm", "one")
				},
				script: strings.Replace(evilModule, "init -q", "init -q --object-format=sha256", 1) + "git add sub2",
			},
			"the repository of an existing one is replaced": {
				prepare: addModule,
				script:  evilModule + "rm -f module/.git; mv sub2/.git module/.git",
			},
			"the directory of an existing one is replaced": {
				prepare: addModule,
				script:  evilModule + "rm -rf module; mv module gone; mv sub2 module",
			},
			"one without a repository gets one": {
				prepare: func(t *testing.T, repo string) {
					t.Helper()
					addModule(t, repo)
					git(t, repo, "submodule", "--quiet", "deinit", "-f", "module")
				},
				script: evilModule + "mkdir -p module; mv sub2/.git module/",
			},
			"one without a directory gets a repository": {
				prepare: func(t *testing.T, repo string) {
					t.Helper()
					addModule(t, repo)
					if err := os.RemoveAll(repo + "/module"); err != nil {
						t.Fatal(err)
					}
				},
				script: evilModule + "mv sub2 module",
			},
			"added, and the directories are locked": {
				script: evilModule + "mkdir -p a/b; mv sub2 a/b; git add a/b/sub2; chmod 555 a/b/sub2; chmod 0 a",
			},
			"added to an index in a locked repository": {
				script: evilModule + "git add sub2; chmod 0 .git/index .git",
			},
			"added to a submodule": {
				prepare: addModule,
				script:  evilModule + "mv sub2 module/sub2; cd module; git add sub2",
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				repo := repository(t)
				if c.prepare != nil {
					c.prepare(t, repo)
				}
				runsNothing(t, b, repo, repo, c.script, userUnlocks+"git status --short; git diff; git submodule status")
			})
		}
	})
}

// userUnlocks is what a user does whose git is refused.
const userUnlocks = "chmod -f u+rwx . .git .git/index a a/b sub2; "

// addModule adds a submodule to a repository.
func addModule(t *testing.T, repo string) {
	t.Helper()
	git(t, repo, "submodule", "--quiet", "add", repository(t), "module")
	git(t, repo, "commit", "-qm", "module")
}

// runsNothing runs a command in the directory of a session, and then the user's git in
// a directory. It fails the test if the file PWNED exists then.
func runsNothing(t *testing.T, b *sandbox.Box, session, dir, script, userScript string) {
	t.Helper()
	canary := filepath.Join(filepath.Dir(session), "canary")
	cmd, w := command(t, b, gitProfile(session), session, "sh", "-c", script)
	cmd.Env = append(cmd.Env, "E="+session+"/evil", "PWNED="+canary)
	out, code := finish(t, cmd)
	w.Close()
	user := exec.CommandContext(t.Context(), "sh", "-c", userScript)
	user.Dir = dir
	said, _ := user.CombinedOutput() // a broken repository is refused, too
	if _, err := os.Stat(canary); err == nil {
		t.Errorf("git ran the program: command exited with %d: %s\ngit: %s", code, out, said)
	}
}

// What the user has made, and no command has changed, stays usable.
func TestGitPaths_RepositoryWithSubmodules_StaysAsItIs(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		repo := repository(t)
		git(t, repo, "submodule", "--quiet", "add", repository(t), "deep/module")
		git(t, repo, "commit", "-qm", "module")
		commits(t, b, repo)
		succeeds(t, b, gitProfile(repo), repo, "echo x > deep/module/other; cd deep/module; git add other; "+
			"git -c user.name=a -c user.email=a@example.test commit -qm other; cd ../..; git clone -q . copy; git init -q fresh; git add deep")
		if got := git(t, repo+"/deep/module", "log", "-1", "--format=%s"); got != "other" {
			t.Errorf("the last commit of the submodule is %q", got)
		}
		if got := git(t, repo+"/copy", "log", "-1", "--format=%s"); got != "two" {
			t.Errorf("the last commit of the clone is %q", got)
		}
		if got := git(t, repo, "status", "--short"); got != "M  deep/module\n?? copy/\n?? fresh/" {
			t.Errorf("the status is %q", got)
		}
	})
}
