package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sandbox"
)

// profile returns what a command can read, write and reach. The table is in
// docs/sandbox.md.
func (p *Policy) profile(c Command) sandbox.Profile {
	profile := sandbox.Profile{Hide: p.withTargets(p.Hide...), Network: p.network(c), Servers: c.Servers != nil, TmpBytes: p.TmpBytes}
	if c.Kind != Shell && len(c.Args) > 0 { // the model chooses what a command of the shell contains
		program, _ := exec.LookPath(c.Args[0]) // Wrap returns the error
		profile.Show = append([]string{program}, c.Args[1:]...)
	}
	switch c.Kind {
	case Server: // a server may work anywhere, but Bellcord's files are hidden
		profile.Write = []string{"/", workingDir(c.Dir)}
		return profile
	case Agent:
		if home, err := filepath.EvalSymlinks(c.Home); err == nil { // the settings name it, no command
			profile.Own = append(profile.Own, home)
		}
	case Shell:
		p.conceal(&profile, c.Dirs)
	}
	profile.Own, profile.Write = slices.Concat(profile.Own, c.Dirs), slices.Clone(p.Write)
	for _, dir := range c.Dirs {
		git := sandbox.GitPaths(dir)
		profile.Write = append(profile.Write, git.Write...)
		profile.ReadOnly = append(profile.ReadOnly, git.ReadOnly...)
		profile.Absent = append(profile.Absent, git.Absent...)
		profile.Links = append(profile.Links, git.Links...)
		profile.Create = append(profile.Create, git.Create...)
		profile.Indexes = append(profile.Indexes, git.Indexes...)
	}
	return profile
}

// workingDir returns the directory in which a command starts.
func workingDir(dir string) string {
	if dir == "" {
		dir, _ = os.Getwd()
	}
	return dir
}

// network returns the network of a command. Servers and agents have it; a
// command has it in mode full and in the background, unless the settings have
// none.
func (p *Policy) network(c Command) sandbox.Network {
	switch {
	case c.Kind != Shell:
		return sandbox.On
	case (c.Full || c.Background) && p.Network != sandbox.Off:
		return sandbox.On
	}
	return p.Network
}

// Sentence returns a sentence about a command's sandbox for the question that
// asks for its approval, or "" if no sandbox is configured.
func (p *Policy) Sentence(c Command) string {
	s := p.Describe(c)
	switch {
	case s == nil:
		return ""
	case s.Level == bellcord.SandboxNone:
		return "There is no sandbox on this machine: the command has all rights of your user."
	}
	network := map[sandbox.Network]string{
		sandbox.Off: "no network", sandbox.Proxy: "network access is asked for by host", sandbox.On: "with the network",
	}[p.network(c)]
	text := fmt.Sprintf("Sandbox (%s): reads what is not hidden, writes only in this directory, caches and /tmp; %s.", s.Level, network)
	if s.Level != bellcord.SandboxNamespaces && len(s.Gaps) > 0 {
		text += " Not covered: " + strings.Join(s.Gaps, "; ") + "."
	}
	return text
}
