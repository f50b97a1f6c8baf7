package hostile_test

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
)

// recipe is an attack that takes several commands. Others run in between.
type recipe struct {
	background []step   // runs beside the commands
	commands   [][]step // in this order
}

// draw draws from a world.
type draw struct {
	*world
	r *rand.Rand
}

func pick[T any](d draw, all ...T) T { return all[d.r.IntN(len(all))] }

// name returns a file name that a program may not expect.
func (d draw) name() string {
	return pick(d, "a", "b", strings.Repeat("n", 255), "new\nline", "\xff\xfe", "-rf", " ", "a b", "...", "$(touch x)", "config", "hooks", "HEAD", "\u202etxt", "a\tb", "'", `"`, "*")
}

// target returns where a link of a command leads.
func (d draw) target() string {
	return pick(d, d.home, d.home+"/.ssh", d.home+"/.ssh/id_ed25519", d.home+"/.config", d.home+"/.config/gh", d.data, d.data+"/token", d.data+"/workspaces/other", d.base,
		d.base+"/config/bellcord", d.beside, d.beside+"/file", d.main, d.work, "/", "/etc", "/run", "..", "../..", "../../..", "../home", "../data", "/proc/self/root", "/proc/self/cwd/..", "/dev", "/tmp",
		"../../home/.ssh/id_ed25519", strings.Repeat("../", 40)+strings.TrimPrefix(d.home, "/"), d.home+strings.Repeat("/.", 1900), "/proc/1/root"+d.home)
}

// gitDir returns the repository that git of the user would use.
func (d draw) gitDir() string {
	if d.kind == withWorktree {
		return d.main + "/.git"
	}
	return d.work + "/.git"
}

// gitPlace returns a path in the repository that decides what is protected.
func (d draw) gitPlace() string {
	n := pick(d, "m", "x", "deep/x", d.name())
	return filepath.Join(d.gitDir(), pick(d, "config", "hooks", "commondir", "config.worktree", "HEAD", "objects", "refs", "modules", "worktrees", "modules/"+n, "modules/"+n+"/config", "modules/"+n+"/hooks",
		"modules/"+n+"/commondir", "modules/"+n+"/modules/y/config", "worktrees/"+n, "worktrees/"+n+"/gitdir", "worktrees/"+n+"/commondir", "worktrees/other", "worktrees/other/gitdir"))
}

// fakeRepository makes a directory that git takes for a repository.
func fakeRepository(dir string) []step {
	return []step{{"mkdir", dir + "/objects"}, {"mkdir", dir + "/refs"}, {"file", dir + "/HEAD", "ref: refs/heads/main\n"}, {"file", dir + "/config", "[core]\n"}, {"mkdir", dir + "/hooks"}}
}

// evil is a configuration that names a program.
func (d draw) evil(worktree string) string {
	program := d.pwned + "/" + strconv.Itoa(d.r.IntN(1000))
	text := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = \"touch " + program + "; false\"\n\thooksPath = " + d.work + "/evil-hooks\n"
	if worktree != "" {
		text += "\tworktree = " + worktree + "\n"
	}
	return text
}

// recipe returns an attack.
func (d draw) recipe() recipe {
	all := []func() recipe{
		d.linkInRepository, d.pointer, d.cacheLink, d.exchanged, d.exchanged, d.exchanged, d.exchanged, d.renamedParents, d.brokenRepository, d.secondRepository,
		d.hardLinks, d.mounts, d.oddFiles, d.left, d.links, d.gitlinks, d.replacedGit, d.temporary,
	}
	return all[d.r.IntN(len(all))]()
}

// linkInRepository makes what is protected a link.
func (d draw) linkInRepository() recipe {
	at, target := d.gitPlace(), d.target()
	first := fakeRepository(pick(d, d.gitDir(), filepath.Dir(at), d.gitDir()+"/modules/x", d.gitDir()+"/modules/m"))
	return recipe{commands: [][]step{append(first, step{"remove", at}, step{"link", target, at}), {{"file", at + "/PWNED", "x"}, {"read", at}, {"append", at, "x"}}}}
}

// pointer makes .git a file that names another repository.
func (d draw) pointer() recipe {
	named := pick(d, d.gitPlace(), d.work+"/g", d.work+"/g/worktrees/w", d.home, d.data, d.main+"/.git/worktrees/other", d.target())
	at := pick(d, d.work+"/.git", d.work+"/sub/.git", d.main+"/.git/worktrees/tree/gitdir", d.main+"/.git/worktrees/other/gitdir")
	first := append(fakeRepository(d.work+"/g"), fakeRepository(d.work+"/g/worktrees/w")...)
	first = append(first, step{"file", d.work + "/g/worktrees/w/gitdir", d.work + "/.git"}, step{"file", d.work + "/g/config", "[core]\nworktree = " + d.work},
		step{"file", at, "gitdir: " + named + "\n"})
	return recipe{commands: [][]step{first, {{"remove", d.work + "/g"}, {"link", d.target(), d.work + "/g"}}, {{"read", d.work + "/g"}}}}
}

// cacheLink makes a cache a link.
func (d draw) cacheLink() recipe {
	cache := pick(d, d.home+"/.cache/target", d.home+"/.cache", d.home+"/go/pkg", d.home+"/.npm")
	return recipe{commands: [][]step{{{"remove", cache}, {"link", d.target(), cache}}, {{"file", cache + "/PWNED", "x"}, {"read", cache + "/id_ed25519"}}}}
}

// exchanged exchanges a directory with a link while commands start.
func (d draw) exchanged() recipe {
	module := d.gitDir() + "/modules/a"
	at := pick(d, module, module, module, module+"/config", module+"/hooks", d.gitDir()+"/modules", d.gitDir()+"/worktrees/t", d.work+"/private", d.work+"/private/deep", d.home+"/.cache/target",
		d.work+"/.git", d.work+"/sub", d.home+"/.config", d.home+"/.ssh", d.gitDir()+"/config")
	target := pick(d, d.home, d.home, d.home+"/.ssh", d.data, d.beside, d.base, d.home+"/.ssh/id_ed25519", d.target())
	other := at + ".other"
	if relative, err := filepath.Rel(filepath.Dir(other), target); err == nil && d.r.IntN(2) == 0 {
		target = relative // bubblewrap has another root while it mounts
	}
	prepare := fakeRepository(module)
	prepare = append(prepare, step{"mkdir", d.home + "/.cache/target"}, step{"mkdir", d.gitDir() + "/worktrees/t"}, step{"link", target, other})
	return recipe{
		background: append(prepare, step{"spin", at, other}),
		commands:   [][]step{{}, {{"file", d.home + "/PWNED", "x"}}, {{"file", d.home + "/PWNED", "x"}}, {{"append", d.home + "/.bashrc", "x"}}, {{"file", d.beside + "/PWNED", "x"}}},
	}
}

// renamedParents renames what is above a hidden or protected path.
func (d draw) renamedParents() recipe {
	from := pick(d, d.work+"/private", d.work+"/private/deep", d.home+"/.config", d.home+"/.ssh", d.home+"/.aws", d.home, d.data, d.gitDir(), d.gitDir()+"/modules", d.gitDir()+"/modules/m", d.gitDir()+"/worktrees",
		d.gitDir()+"/worktrees/other", d.gitDir()+"/hooks", d.gitDir()+"/config", d.work)
	to := d.work + "/" + d.name()
	return recipe{commands: [][]step{{{"rename", from, to}, {"mkdir", from}}, {{"sweep", to, "x"}, {"file", to + "/config", d.evil("")}, {"remove", from}, {"rename", to, from}}}}
}

// brokenRepository makes git's repository invalid, so that it is not recognized, changes
// it, and repairs it.
func (d draw) brokenRepository() recipe {
	dir := pick(d, d.gitDir(), d.gitDir(), d.gitDir()+"/modules/m", d.gitDir()+"/worktrees/other")
	part := dir + "/" + pick(d, "HEAD", "objects", "refs")
	second := []step{{"file", dir + "/config", d.evil("")}, {"file", dir + "/hooks/post-index-change", "#!/bin/sh\ntouch " + d.pwned + "/hook\n"}, {"file", dir + "/config.worktree", d.evil("")}}
	repair := []step{{"rename", part + ".away", part}}
	if pick(d, true, false) { // the workspace itself becomes the repository
		return recipe{commands: [][]step{append([]step{{"rename", part, part + ".away"}, {"copy", d.gitDir(), d.work}}, step{"file", d.work + "/config", d.evil(d.work)})}}
	}
	return recipe{commands: [][]step{{{"rename", part, part + ".away"}}, append(second, repair...), second}}
}

// secondRepository lets git read another configuration.
func (d draw) secondRepository() recipe {
	other := d.work + "/evil"
	at := pick(d, d.gitDir(), d.gitDir(), d.gitDir()+"/worktrees/other", d.gitDir()+"/worktrees/tree", d.gitDir()+"/modules/m")
	file := at + "/" + pick(d, "commondir", "commondir", "config.worktree", "gitdir")
	text := pick(d, other, "../evil", d.evil(""))
	steps := []step{{"copy", d.gitDir(), other}, {"file", other + "/config", d.evil("")}}
	steps = append(steps, pick(d, step{"mkdir", file + ".from-sandbox/x"}, step{"mkdir", file + "/x"}, step{"fifo", file + ".from-sandbox"}, step{"link", "/", file + ".from-sandbox"}), step{"file", file, text})
	return recipe{commands: [][]step{steps, {{"remove", file}, {"link", other + "/commondir", file}, {"file", other + "/commondir", text}}}}
}

// hardLinks gives secrets other names.
func (d draw) hardLinks() recipe {
	to := d.work + "/" + d.name()
	return recipe{commands: [][]step{{{"hard", pick(d, d.secrets...), to}, {"hard", d.home + "/.bashrc", to + "2"}, {"append", to + "2", "x"}}, {{"read", to}}}}
}

// mounts changes mounts in namespaces of the command.
func (d draw) mounts() recipe {
	to, hidden := d.work+"/mnt", filepath.Dir(pick(d, d.secrets...))
	plan := []step{{"mkdir", to}, {"nested"}}
	for range 4 {
		plan = append(plan, pick(d,
			step{"umount", hidden}, step{"umount", pick(d, d.secrets...)}, step{"umount", d.gitDir() + "/config"}, step{"umount", d.gitDir() + "/hooks"},
			step{"mount", "", d.home, "", "4128", ""}, step{"mount", "", "/", "", "4128", ""}, // remount, bind: writable
			step{"mount", d.home, to, "", "4096", ""}, step{"mount", d.base, to, "", "20480", ""}, step{"mount", "/", to, "", "4096", ""},
			step{"mount", "overlay", to, "overlay", "0", "lowerdir=" + d.home + ",upperdir=" + d.work + "/sub,workdir=" + d.work + "/private"},
			step{"mount", "overlay", to, "overlay", "0", "lowerdir=" + d.home + ":" + d.beside}, step{"mount", "proc", to, "proc", "0", ""}, step{"mount", "tmpfs", hidden, "tmpfs", "0", ""}))
	}
	plan = append(plan, step{"read", to + "/.ssh/id_ed25519"}, step{"read", to + d.home + "/.ssh/id_ed25519"}, step{"read", to + "/1/root" + d.home + "/.ssh/id_ed25519"}, step{"file", to + "/PWNED", "x"},
		step{"file", d.gitDir() + "/config", d.evil("")})
	return recipe{commands: [][]step{append(plan, d.attacks()...)}}
}

// oddFiles puts pipes, sockets and directories where files are expected.
func (d draw) oddFiles() recipe {
	at := pick(d, d.gitPlace(), d.work+"/.git", d.work+"/private/deep/env", d.home+"/.cache/target", d.work+"/"+d.name())
	deep := d.work + strings.Repeat("/"+strings.Repeat("d", 200), 10)
	return recipe{commands: [][]step{
		append(fakeRepository(filepath.Dir(at)), step{"remove", at}, pick(d, step{"fifo", at}, step{"socket", at}, step{"mkdir", at + "/x"}, step{"file", at, strings.Repeat("x", 10_000)}, step{"file", at, "gitdir: \xff"}), step{"mkdir", deep}),
		{{"link", deep, d.gitDir() + "/modules/z"}},
	}}
}

// left changes files after the command has exited.
func (d draw) left() recipe {
	return recipe{commands: [][]step{
		{{"copy", d.gitDir(), d.work + "/evil"}, {"file", d.work + "/evil/config", d.evil("")}, {"leave"}, {"pause", "30"}, {"file", d.gitDir() + "/commondir", d.work + "/evil"}, {"file", d.home + "/PWNED", "x"}},
		{{"pause", "40"}},
	}}
}

// links makes links of many kinds.
func (d draw) links() recipe {
	var first []step
	for range 6 {
		at := pick(d, d.work, d.work+"/sub", d.work+"/private", d.gitDir(), d.home+"/.cache", "/tmp", "/var/tmp")
		first = append(first, step{"link", d.target(), at + "/" + d.name()})
	}
	first = append(first, step{"link", "loop", d.work + "/loop"}, step{"link", d.work + "/loop2", d.work + "/loop3"}, step{"link", d.work + "/loop3", d.work + "/loop2"})
	return recipe{commands: [][]step{first, {{"sweep", "/tmp", "x"}}}}
}

// gitlinks adds a repository that git of the user enters.
func (d draw) gitlinks() recipe {
	d.gitlink = true
	module := d.work + "/" + pick(d, "link", "sub", "m")
	first := append(fakeRepository(module+"/.git"), step{"file", module + "/.git/config", d.evil("")},
		step{"git", "update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111," + filepath.Base(module)})
	return recipe{commands: [][]step{first, {{"remove", module + "/.git"}, {"file", module + "/.git", "gitdir: " + d.gitPlace()}}}}
}

// replacedGit puts another repository in the place of the workspace's.
func (d draw) replacedGit() recipe {
	own := d.work + "/.git"
	return recipe{commands: [][]step{
		{{"copy", d.gitDir(), d.work + "/evil"}, {"file", d.work + "/evil/config", d.evil("")}, {"rename", own, d.work + "/old"}, {"remove", own}, pick(d, step{"link", "evil", own}, step{"file", own, "gitdir: evil\n"}, step{"rename", d.work + "/evil", own}), {"exchange", own, d.work + "/evil"}},
		{{"file", own + "/config", d.evil("")}},
	}}
}

// temporary replaces parts of the session's /tmp.
func (d draw) temporary() recipe {
	return recipe{commands: [][]step{
		{{"remove", "/tmp"}, {"link", d.target(), "/tmp/x"}, {"rename", "/tmp", "/var/tmp/t"}, {"link", d.target(), "/var/tmp/" + d.name()}, {"mkdir", "/tmp/.git/objects"}},
		{{"sweep", "/tmp", "x"}, {"sweep", "/var/tmp", "x"}},
	}}
}

// attacks are the steps with which every command ends.
func (d draw) attacks() []step {
	all := []step{
		{"read", d.work + "/../home/.ssh/id_ed25519"},
		{"append", d.home + "/../home/.bashrc", "x"},
		{"append", d.beside + "/file", "x"},
		{"file", pick(d, d.base, d.data, d.beside, d.main, d.data+"/workspaces/other") + "/PWNED", "x"},
		{"remove", d.beside + "/sub"},
		{"rename", d.beside + "/file", d.work + "/stolen"},
		{"link", d.home, d.beside + "/link"},
		{"descriptors"},
	}
	for _, path := range d.secrets {
		all = append(all, step{"read", path})
	}
	if d.kind != atHome {
		all = append(all, step{"file", d.home + "/PWNED", "x"}, step{"append", d.home + "/.bashrc", "x"})
	}
	if git := d.gitDir(); d.kind != withoutRepository && d.kind != inData {
		all = append(all, step{"append", git + "/config", d.evil("")}, step{"file", git + "/hooks/post-index-change", "#!/bin/sh\ntouch " + d.pwned + "/hook"}, step{"file", git + "/modules/m/config", d.evil("")},
			step{"remove", git + "/hooks"}, step{"hard", git + "/config", d.work + "/config-link"}, step{"append", d.work + "/config-link", d.evil("")})
	}
	d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:len(all)*2/3]
	addresses := d.addresses()
	one := addresses[d.r.IntN(len(addresses))]
	all = append(all, step{"dial", one[0], one[1]})
	if d.r.IntN(3) == 0 {
		all = append(all, step{"processes"})
	}
	return append(all, step{"sweep", d.work, "x"})
}
