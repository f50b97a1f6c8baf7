package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// fails fails the test if a command of a profile works.
func fails(t *testing.T, b *sandbox.Box, p sandbox.Profile, dir, script string) {
	t.Helper()
	if out, code := run(t, b, p, dir, "sh", "-c", script); code == 0 {
		t.Errorf("%q worked: %s", script, out)
	}
}

// succeeds fails the test if a command of a profile fails.
func succeeds(t *testing.T, b *sandbox.Box, p sandbox.Profile, dir, script string) string {
	t.Helper()
	out, code := run(t, b, p, dir, "sh", "-ec", script)
	if code != 0 {
		t.Errorf("%q: exit code %d: %s", script, code, out)
	}
	return out
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
		t.Fatal(err)
	}
}

// A command makes links in a repository. The next command must not see where they
// lead: what GitPaths names becomes a mount.
func TestHeld_Links_InARepositoryToHiddenPaths_ShowNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s, repo := newScene(t), repository(t)
		for name, target := range map[string]string{
			"modules/a/config": s.home + "/.ssh/id_ed25519", "modules/b/hooks": s.home + "/.ssh", "modules/c/config": s.data + "/token",
			"modules/d/commondir": s.data + "/token", "worktrees/e/gitdir": s.data + "/token", "modules/f": s.data,
			"worktrees/g": s.home + "/.ssh",
		} {
			path := filepath.Join(repo, ".git", name)
			if dir := filepath.Dir(path); strings.HasPrefix(name, "modules/") && filepath.Base(dir) != "modules" {
				write(t, dir+"/HEAD", "ref: refs/heads/main")
				for _, part := range []string{"objects", "refs"} {
					if err := os.MkdirAll(filepath.Join(dir, part), 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			link(t, target, path)
		}
		p := gitProfile(repo)
		p.Hide = s.profile.Hide
		for _, secret := range []string{s.home + "/.ssh/id_ed25519", s.data + "/token", repo + "/.git/modules/a/config", repo + "/.git/modules/b/hooks/id_ed25519"} {
			fails(t, b, p, repo, "cat "+secret)
		}
		fails(t, b, p, repo, "echo x > "+s.data+"/new")
	})
}

// The repository itself may be reached through such links.
func TestHeld_Links_AsConfigurationOfTheRepository_ShowNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s, repo := newScene(t), repository(t)
		if err := errors.Join(os.Remove(repo+"/.git/config"), os.RemoveAll(repo+"/.git/hooks")); err != nil {
			t.Fatal(err)
		}
		link(t, s.home+"/.ssh/id_ed25519", repo+"/.git/config")
		link(t, "/run", repo+"/.git/hooks")
		p := gitProfile(repo)
		p.Hide = s.profile.Hide
		fails(t, b, p, repo, "cat "+s.home+"/.ssh/id_ed25519")
		if b.Level() == sandbox.Namespaces {
			if out := succeeds(t, b, p, repo, "ls -A /run"); out != "" {
				t.Errorf("/run contains %q", out)
			}
		}
	})
}

// Without the link, the next command would find the hidden file where the link led.
func TestHeld_LinkOnTheWayToAHiddenPath_RemovedByACommand_IsMadeAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		home := directory(t)
		write(t, home+"/dotfiles/config/app/key", "secret")
		write(t, home+"/dotfiles/netrc", "secret")
		link(t, "dotfiles/config", home+"/.config")
		link(t, home+"/dotfiles/netrc", home+"/.netrc")
		p := sandbox.Profile{Own: []string{home}, Hide: []string{home + "/.config/app", home + "/.config/missing", home + "/.netrc"}}
		for _, script := range []string{"true", "rm .config .netrc", "rm .config .netrc; mkdir .config; touch .netrc", "mv .config c; ln -s /tmp .config; ln -sf x .netrc"} {
			_, _ = run(t, b, p, home, "sh", "-c", script)
			for _, path := range []string{"dotfiles/config/app/key", "dotfiles/netrc", ".config/app/key", ".netrc", "c/app/key"} {
				if out, _ := run(t, b, p, home, "cat", path); strings.Contains(out, "secret") {
					t.Errorf("after %q, a command has read %s", script, path)
				}
			}
		}
	})
}

// A cache that does not exist yet is created as a link by one command; the next one
// must not be able to write the link's target.
func TestHeld_Links_InAWritableDirectory_AreNotFollowed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		write(t, dir+"/home/.bashrc", "")
		write(t, dir+"/real/cache/file", "")
		write(t, dir+"/work/file", "")
		link(t, dir+"/real/cache", dir+"/home/.cache")            // made by the user: followed
		link(t, dir+"/home", dir+"/real/cache/target")            // made by a command
		link(t, dir+"/home", dir+"/work/target")                  // made by a command
		link(t, dir+"/real/cache/target", dir+"/real/cache/more") // a chain
		p := sandbox.Profile{
			Own:   []string{dir + "/work"},
			Write: []string{dir + "/home/.cache/target", dir + "/home/.cache/more", dir + "/home/.cache", dir + "/work/target", dir + "/work/target/x"},
		}
		succeeds(t, b, p, dir+"/work", "echo x > "+dir+"/home/.cache/new")
		fails(t, b, p, dir+"/work", "echo x >> "+dir+"/home/.bashrc")
		fails(t, b, p, dir+"/work", "echo x > "+dir+"/home/new")
	})
}

func TestHeld_OwnDirectory_ReplacedByALink_IsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		write(t, dir+"/home/.bashrc", "")
		link(t, dir+"/home", dir+"/shared/work")
		for _, own := range []string{"/shared/work", "/shared/work/sub", "/shared/../shared/work"} {
			_, err := b.Wrap(sandbox.Profile{Own: []string{dir + own}}, []string{"true"})
			if err == nil || !strings.Contains(err.Error(), "symbolic link") {
				t.Errorf("%s: %v", own, err)
			}
		}
	})
}

// The path is exchanged with a link after it was opened: the helper finds the link,
// or another directory, and starts nothing.
func TestHeld_Path_ExchangedWhileTheCommandStarts_StartsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		for _, other := range []string{"link", "directory"} {
			dir := directory(t)
			write(t, dir+"/home/.bashrc", "")
			write(t, dir+"/work/cache/file", "")
			write(t, dir+"/work/directory/file", "")
			link(t, dir+"/home", dir+"/work/link")
			p := sandbox.Profile{Own: []string{dir + "/work"}, Write: []string{dir + "/work/cache"}}
			cmd, w := command(t, b, p, dir, "sh", "-c", "echo x >> "+dir+"/home/.bashrc; echo ran")
			if err := unix.Renameat2(unix.AT_FDCWD, dir+"/work/cache", unix.AT_FDCWD, dir+"/work/"+other, unix.RENAME_EXCHANGE); err != nil {
				t.Fatal(err)
			}
			out, code := finish(t, cmd)
			w.Close()
			// Bubblewrap finds the directory that was opened at its new path.
			if (code == 0 || strings.Contains(out, "ran")) && (other == "link" || b.Means() != sandbox.Bubblewrap) {
				t.Errorf("%s: exit code %d: %s", other, code, out)
			}
			if b, err := os.ReadFile(dir + "/home/.bashrc"); err != nil || len(b) > 0 {
				t.Errorf("%s: %q, %v", other, b, err)
			}
		}
	})
}

// Bubblewrap empties the file at a path that it is about to create. A command
// exchanges a protected file of its own with a link to one that it must not change.
func TestHeld_ProtectedFile_ExchangedWhileTheCommandStarts_EmptiesNoOther(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		home := directory(t)
		for _, target := range []string{".ssh/id_ed25519", ".netrc", ".git/config"} {
			write(t, filepath.Join(home, target), "secret")
			dir := home + "/-own-" + filepath.Base(target) + "/.git" // sorted before the others
			write(t, dir+"/config", "")
			write(t, dir+"/away/file", "")
			link(t, "../../"+target, dir+"/link")
			p := sandbox.Profile{
				Own: []string{home}, Hide: []string{home + "/.ssh", home + "/.netrc"},
				ReadOnly: []string{home + "/.git/config", dir + "/config"},
			}
			for range 20 {
				cmd, w := command(t, b, p, home, "true")
				name := func(name string) string { return filepath.Join(dir, name) }
				if err := errors.Join(os.Rename(name("config"), name("kept")), os.Rename(name("link"), name("config"))); err != nil {
					t.Fatal(err)
				}
				var exchanges sync.WaitGroup
				ended := make(chan struct{})
				exchanges.Go(func() {
					for {
						select {
						case <-ended:
							return
						default:
							_ = unix.Renameat2(unix.AT_FDCWD, name("config"), unix.AT_FDCWD, name("away"), unix.RENAME_EXCHANGE)
						}
					}
				})
				_, _ = finish(t, cmd)
				close(ended)
				exchanges.Wait()
				w.Close()
				if _, err := os.Readlink(name("config")); err != nil {
					_ = unix.Renameat2(unix.AT_FDCWD, name("config"), unix.AT_FDCWD, name("away"), unix.RENAME_EXCHANGE)
				}
				if err := errors.Join(os.Rename(name("config"), name("link")), os.Rename(name("kept"), name("config"))); err != nil {
					t.Fatal(err)
				}
			}
			if text, err := os.ReadFile(filepath.Join(home, target)); err != nil || string(text) != "secret" {
				t.Errorf("%s: %q, %v", target, text, err)
			}
		}
	})
}

func TestHeld_HiddenPath_WinsOverEverythingButOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		s.profile.Write = []string{s.data + "/sessions", s.other, s.home, s.home + "/.ssh"}
		s.profile.ReadOnly = []string{s.data + "/token", s.home + "/.ssh/id_ed25519"}
		s.profile.Read = nil
		for _, path := range []string{s.data + "/token", s.other + "/notes", s.home + "/.ssh/id_ed25519", s.home + "/.netrc"} {
			fails(t, b, s.profile, s.workspace, "grep . "+path)
		}
		succeeds(t, b, s.profile, s.workspace, "cat file; echo x > file")
	})
}

// A session works in the home directory: the parent of a hidden path is renamed by one
// command, and the next one reads what was hidden.
func TestHeld_ParentOfAHiddenPath_CannotBeRenamed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		write(t, s.home+"/.config/deep/gh/hosts.yml", "secret")
		p := sandbox.Profile{Own: []string{s.home}, Hide: []string{s.home + "/.config/deep/gh", s.home + "/.ssh"}}
		rename := os.Getenv(probeEnv) + " probe rename "
		for _, script := range []string{
			rename + s.home + "/.config " + s.home + "/moved",
			rename + s.home + "/.config/deep " + s.home + "/.config/moved",
			rename + s.home + "/.config/deep/gh " + s.home + "/moved",
			rename + s.home + "/.ssh " + s.home + "/moved",
		} {
			fails(t, b, p, s.home, script)
		}
		if b.Level() == sandbox.Namespaces { // Landlock permits no new entries beside a hidden path
			succeeds(t, b, p, s.home, "echo x > .config/new; mkdir .config/deep/other; mv .config/deep/other .config/deep/third")
		}
	})
}

func TestConceal_HomeDirectory_ShowsOnlyWhatIsNamed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		for _, name := range []string{"/go/bin/tool", "/.cache/file", "/project/file", "/private/file"} {
			write(t, s.home+name, "content")
		}
		p := sandbox.Profile{
			Own: []string{s.home + "/project"}, Write: []string{s.home + "/.cache"}, Read: []string{s.home + "/go"},
			Hide: []string{s.home + "/.ssh"}, Conceal: []string{s.home},
		}
		succeeds(t, b, p, s.home+"/project", "cat "+s.home+"/go/bin/tool; echo x > file; echo x > "+s.home+"/.cache/file")
		for _, script := range []string{
			"cat " + s.home + "/private/file", "cat " + s.home + "/.ssh/id_ed25519", "cat " + s.home + "/.netrc",
			"echo x > " + s.home + "/go/bin/tool", "echo x > " + s.home + "/new",
		} {
			fails(t, b, p, s.home+"/project", script)
		}
		p.Own = []string{s.home}
		succeeds(t, b, p, s.home, "cat private/file; echo x > private/file")
		fails(t, b, p, s.home, "cat .ssh/id_ed25519")
	})
}

// A directory of programs can be in the session's directory, and a directory of
// which only a part is visible can be below it.
func TestConceal_ReadIsWritableOrConcealIsBelow_WritesWorkAndNothingIsMoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		for _, name := range []string{"/project/bin/file", "/.config/app/secret", "/.config/app/part"} {
			write(t, s.home+name, "content")
		}
		p := sandbox.Profile{
			Own: []string{s.home}, Read: []string{s.home + "/project/bin", s.home + "/.config/app/part"},
			Conceal: []string{s.home + "/.config/app"},
		}
		succeeds(t, b, p, s.home, "cat .config/app/part; rm project/bin/file; echo x > project/bin/new")
		for _, script := range []string{"cat .config/app/secret", "mv .config moved", "mv .config/app moved"} {
			fails(t, b, p, s.home, script)
		}
	})
}

// At the level Landlock the processes and devices of the machine are visible.
func TestHeld_Landlock_OtherProcessesAndTerminals_AreOutOfReach(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		pid := strconv.Itoa(s.victim)
		attacks := [][]string{
			{"limit", pid},
			{"affinity", pid},
			{"priority", "0", pid},
			{"priority", "2", "0"},
			{"socket", strconv.Itoa(unix.AF_VSOCK)},
		}
		if b.Level() == sandbox.Landlock {
			attacks = append(attacks, []string{"listen"},
				[]string{"pair", strconv.Itoa(unix.SOCK_RAW)}, []string{"pair", strconv.Itoa(unix.SOCK_DGRAM)})
		}
		for _, attack := range attacks {
			if b.Level() == sandbox.Namespaces && attack[0] == "priority" && attack[1] == "2" {
				continue // the processes of the user are those of the namespace
			}
			if out, code := run(t, b, s.profile, s.workspace, probe(attack...)...); code != 1 || !strings.Contains(out, "refused:") {
				t.Errorf("%v: exit code %d: %s", attack, code, out)
			}
		}
		for _, allowed := range [][]string{{"limit", "0"}, {"affinity", "0"}, {"priority", "0", "0"}, {"pair", strconv.Itoa(unix.SOCK_STREAM)}} {
			if out, code := run(t, b, s.profile, s.workspace, probe(allowed...)...); code != 0 {
				t.Errorf("%v: exit code %d: %s", allowed, code, out)
			}
		}
	})
}

// Shared memory and queues belong to no file: the IPC namespace separates them, or the
// filter refuses them.
func TestHeld_SharedMemoryAndQueue_OfAnotherProcess_AreOutOfReach(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
		queue := "bellcord-" + filepath.Base(s.workspace) + "-" + filepath.Base(t.Name())
		if err := openQueue(queue, unix.O_CREAT); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if name, err := unix.BytePtrFromString(queue); err == nil {
				_, _, _ = unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0)
			}
		})
		for _, try := range [][]string{{"attach", strconv.Itoa(id)}, {"queue", queue}} {
			if err := attack(try[0], try[1:]); err != nil {
				t.Fatalf("without a sandbox: %v: %v", try, err)
			}
			if out, code := run(t, b, s.profile, s.workspace, probe(try...)...); code == 0 {
				t.Errorf("%v worked: %s", try, out)
			}
		}
	})
}

func TestHeld_Terminal_OfAnotherSession_CannotBeOpened(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer master.Close()
		if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
			t.Fatal(err)
		}
		n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
		if err != nil {
			t.Fatal(err)
		}
		terminal := "/dev/pts/" + strconv.Itoa(n)
		if err := attack("read-terminal", []string{terminal}); err != nil {
			t.Fatalf("without a sandbox: %v", err)
		}
		if out, code := run(t, b, s.profile, s.workspace, probe("read-terminal", terminal)...); code != 1 {
			t.Errorf("exit code %d: %s", code, out)
		}
		succeeds(t, b, s.profile, s.workspace, "echo x > /dev/null; head -c 1 /dev/urandom | wc -c; cat /dev/zero | head -c 1 > /dev/full || true")
	})
}
