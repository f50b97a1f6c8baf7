package workspace

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// Names of files that are not hidden, but run or configure what runs. Build
// files such as Makefile are not included: like source code, they run only
// through a command that itself requires approval.
var (
	instructions = strings.Fields("agents.md agents.override.md agent.md claude.md claude.local.md gemini.md copilot-instructions.md")
	pipelines    = strings.Fields("jenkinsfile azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml appveyor.yml cloudbuild.yaml cloudbuild.yml buildspec.yml")
	gitHooks     = strings.Fields(`githooks applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
		pre-rebase post-checkout post-merge pre-push pre-receive update post-receive post-update reference-transaction push-to-checkout
		pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change`)
	// Hidden files that run nothing.
	harmlessHidden = strings.Fields(".gitignore .gitkeep .keep .dockerignore .npmignore .eslintignore .prettierignore .editorconfig .prettierrc .markdownlint.json")

	shortName   = regexp.MustCompile(`~[0-9]+(\.|\z)`) // of Windows: git~1 is .git
	windowsRuns = regexp.MustCompile(`\.(exe|com|bat|cmd|ps1|vbs|js|msi|scr|lnk)\z`)
)

// steers returns why a change of a file requires approval in mode auto-edit, or
// "" if it does not: the file runs, or it configures what runs or what an agent
// does. The path is relative to root and contains no links.
func steers(root *os.Root, path string) string {
	names := strings.Split(filepath.ToSlash(path), "/")
	for i, name := range names {
		name = folded(name)
		last := i == len(names)-1
		switch {
		case strings.HasPrefix(name, ".") && name != "." && (!last || !slices.Contains(harmlessHidden, name)):
			return "hidden files can change what programs run"
		case name == "git~1" || runtime.GOOS == "windows" && shortName.MatchString(name):
			return "it may be the short name of a hidden file"
		case slices.Contains(gitHooks, name):
			return "git may run it"
		case last && slices.Contains(instructions, name):
			return "agents follow its instructions"
		case last && slices.Contains(pipelines, name):
			return "a build server runs its commands"
		case last && runtime.GOOS == "windows" && windowsRuns.MatchString(name), last && strings.HasSuffix(name, "profile.ps1"):
			return "it is a program"
		}
	}
	return runs(root, path)
}

// folded returns a name as seen by a file system that ignores case, invisible
// characters, and trailing dots and blanks.
func folded(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		name = trimmed
	}
	name, _, _ = strings.Cut(name, ":") // an alternate data stream on Windows
	return name
}

// runs returns why the existing file at path would run, or "".
func runs(root *os.Root, path string) string {
	f, info, err := OpenRegular(root, path, Private{})
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o111 != 0 {
		return "it is executable"
	}
	head := make([]byte, 2)
	if n, _ := io.ReadFull(f, head); n == 2 && string(head) == "#!" {
		return "it is a script"
	}
	return ""
}
