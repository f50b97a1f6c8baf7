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

// steered are files that are not hidden, but run, or say what other programs do, without
// a command that a person has to approve. Source code is not among them: it runs through
// such a command. docs/permissions.md has the same table.
var steered = []struct {
	why   string
	names []string // of files, in lower case
	ends  []string // of such names
}{
	{
		why:   "agents follow its instructions",
		names: instructions,
		ends:  strings.Fields(".instructions.md .prompt.md .agent.md .chatmode.md"),
	},
	{
		why:   "agents start the programs that it names",
		names: strings.Fields("opencode.json opencode.jsonc crush.json gemini-extension.json mcp.json"),
	},
	{
		why: "a build server runs its commands",
		names: strings.Fields(`jenkinsfile azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml appveyor.yml
			cloudbuild.yaml cloudbuild.yml buildspec.yml`),
	},
	{
		why: "git may run the commands that it names",
		names: strings.Fields(`lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml lefthook-local.yaml
			lefthook-local.toml lefthook-local.json captainhook.json grumphp.yml`),
	},
	{
		why:   "editors run the commands that it names",
		names: strings.Fields("devcontainer.json"),
		ends:  strings.Fields(".code-workspace .sublime-project"),
	},
	{
		why:   "a shell that enters the directory may run it",
		names: strings.Fields("mise.toml mise.local.toml devbox.json devenv.nix flake.nix shell.nix"),
	},
	{
		why: "editors and language servers may run it",
		names: strings.Fields(`build.rs cmakelists.txt build.gradle build.gradle.kts settings.gradle settings.gradle.kts gemfile
			mix.exs conftest.py eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts`),
	},
	{
		why: "it defines what commands such as make and npm run",
		names: strings.Fields(`makefile gnumakefile justfile taskfile.yml taskfile.yaml rakefile procfile package.json
			composer.json deno.json deno.jsonc`),
	},
	{
		why:   "it is a program that builds the project",
		names: strings.Fields("gradlew gradlew.bat mvnw mvnw.cmd gradle-wrapper.properties gradle-wrapper.jar"),
	},
}

var (
	instructions = strings.Fields(`agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md crush.md
		warp.md skill.md copilot-instructions.md`)
	gitHooks = strings.Fields(`githooks applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
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
		case last && runtime.GOOS == "windows" && windowsRuns.MatchString(name), last && strings.HasSuffix(name, "profile.ps1"):
			return "it is a program"
		}
		if why := steersByName(name); last && why != "" {
			return why
		}
	}
	return runs(root, path)
}

// steersByName returns why a file with a folded name is one of steered, or "".
func steersByName(name string) string {
	for _, s := range steered {
		if slices.Contains(s.names, name) || slices.ContainsFunc(s.ends, func(end string) bool { return strings.HasSuffix(name, end) }) {
			return s.why
		}
	}
	return ""
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
