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
	profile := sandbox.Profile{Hide: slices.Clone(p.Hide), Network: p.network(c), Servers: c.Servers != nil, TmpBytes: p.TmpBytes}
	if c.Kind != Shell && len(c.Args) > 0 { // the model chooses what a command of the shell contains
		program, _ := exec.LookPath(c.Args[0]) // Wrap returns the error
		profile.Show = append([]string{program}, c.Args[1:]...)
	}
	switch c.Kind {
	case Server: // a server may work anywhere, but Bellcord's files are hidden
		profile.Write = []string{"/", workingDir(c.Dir)}
		return profile
	case Agent:
		profile.Write = append(profile.Write, c.Home)
	case Shell:
		profile.Hide = append(profile.Hide, p.Secrets...)
	}
	profile.Write = slices.Concat(profile.Write, p.Write, c.Dirs)
	for _, dir := range c.Dirs {
		git := sandbox.GitPaths(dir)
		profile.Write = append(profile.Write, git.Write...)
		profile.ReadOnly = append(profile.ReadOnly, git.ReadOnly...)
		profile.Absent = append(profile.Absent, git.Absent...)
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

// Credentials returns the files and directories in a home directory that contain
// credentials.
func Credentials(home string) []string {
	return below(home,
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".oci", ".config/gh", ".config/gcloud", ".config/hub", ".config/doctl", ".config/op", ".config/sops",
		".netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml",
		".gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties", ".terraform.d/credentials.tfrc.json", ".vault-token", ".pgpass", ".my.cnf",
		".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", "Library/Keychains",
	)
}

func below(home string, names ...string) []string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, filepath.Join(home, filepath.FromSlash(name)))
	}
	return all
}
