package tool

import (
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/internal/confine"
)

// sandboxHint explains a failure that the sandbox causes, and names the setting that
// allows what the command did.
type sandboxHint struct {
	output  string // a regular expression for the output of the command
	command string // one for the command; empty: every command
	offline bool   // only without the network of the machine
	home    bool   // only if the home directory is hidden
	text    string
	leave   string // added to text, unless no command can leave the sandbox
}

// The ends of hints for a command that can be called again without the sandbox.
const (
	orLeave   = ", or call it again with without_sandbox"
	nextLeave = ". Or call it again with without_sandbox"
)

// homeHint explains why a file in the home directory is missing.
const homeHint = "the setting sandbox.home hides the home directory from commands, except for tool chains, caches, the session's directories and the repository around each. " +
	"If a path in it is missing, sandbox.show makes it readable, and sandbox.write makes it writable"

// sandboxHints are searched in this order. The first hint that matches is added to
// the result of a command that failed.
var sandboxHints = []sandboxHint{
	{
		output: `\.git/(modules/.+/)?(config|hooks)\b.*(device or resource busy|read-only file system|permission denied)|could not (lock|write) config file`,
		text: "the sandbox keeps .git/config and .git/hooks read-only, because git runs the programs that they name, also outside of the sandbox. " +
			"What the command changed before stays",
		leave: ". To change them, call it again with without_sandbox",
	},
	{
		output: `gpg failed to sign|gpg: .*(can't connect|no secret key|keyblock|no such file|permission denied|read-only)|\.gnupg`,
		text:   "the sandbox hides ~/.gnupg and the agent of gpg, so that nothing can be signed. Commit with git -c commit.gpgsign=false",
		leave:  orLeave,
	},
	{
		output: `no such file or directory|does not exist|does not appear to be a git repository|cannot find module|enoent`,
		home:   true,
		text:   homeHint,
		leave:  orLeave,
	},
	{
		output: `permission denied \(publickey|host key verification failed|ssh: (connect to host|could not resolve)|could not read from remote repository|\.ssh\b.*(no such file|permission denied|read-only)`,
		text: "the sandbox hides ~/.ssh, and without the machine's network there is no ssh, because the proxy forwards HTTP only. Use an https URL. " +
			"The settings sandbox.show and sandbox.network allow both for all commands",
		leave: orLeave,
	},
	{
		output: `(connect tunnel failed|tunnel connection failed|proxyconnect|proxy connect aborted|proxy error).*403|403.*(from proxy|after connect)|network access to|connect.*\b403 forbidden|e403.*proxy` +
			`|refused by the bellcord sandbox|proxy response \(403\)`,
		offline: true,
		text: "the sandbox's proxy refused the host: the user rejected it, or its address is not a public one. The setting sandbox.domains allows a host with a public address, and " +
			"sandbox.network = \"on\" allows all",
	},
	{
		output:  `eai_again|enotfound|enetunreach|network is unreachable|could not resolve|couldn't resolve|temporary failure in name resolution|name or service not known|nodename nor servname|no such host`,
		offline: true,
		text: "in the sandbox, only the proxy in HTTPS_PROXY reaches other machines, and the user is asked by host. This program does not use it. Node's fetch does from Node 22.21 and 24 " +
			"(NODE_USE_ENV_PROXY is set); use curl with an older one. The setting sandbox.network = \"on\" gives commands the machine's network; \"off\" gives them none",
		leave: nextLeave,
	},
	{
		output:  `connection refused|econnrefused|failed to connect|couldn't connect`,
		offline: true,
		text: "in the sandbox, 127.0.0.1 is that of the command: it reaches the session's background commands, but no other service of this machine, such as a database. " +
			"The setting sandbox.network = \"on\" allows it",
		leave: orLeave,
	},
	{
		output: `unable to create temporary object directory|remote unpack failed|unpacker error`,
		text:   "the sandbox makes repositories outside of the session's directories read-only. The setting sandbox.write adds a directory",
		leave:  orLeave,
	},
	{
		output:  `no such file or directory|cannot open|cannot access|permission denied`,
		command: `(^|[\s/"'=])\.(ssh|gnupg|aws|azure|kube|docker|netrc|npmrc|pypirc|git-credentials)\b|\.config/(gh|gcloud)\b`,
		text:    "the sandbox hides credentials from commands. The setting sandbox.show makes a path readable",
		leave:   orLeave,
	},
	{
		output: `permission denied|eacces`,
		home:   true,
		text:   homeHint,
		leave:  orLeave,
	},
	{
		output: `permission denied|read-only file system|operation not permitted|eacces|eperm|erofs|no such device|device or resource busy`,
		text: "the command ran in the sandbox, which may be the cause: it writes only in the session's directories, in caches and in /tmp. " +
			"The setting sandbox.write adds a directory",
		leave: ". If the command needs more, call it again with without_sandbox",
	},
}

// foreignHint explains why root cannot write in a directory of another user.
const foreignHint = "this directory belongs to another user than root, who runs Bellcord. In the sandbox, root has no rights over files of others: run Bellcord as the owner of the directory, " +
	"or change its owner"

// logHint explains why a command does not find the output of another one.
const logHint = "the sandbox hides Bellcord's files from commands: read the output of a command with read_file or grep"

var compiledHints = sync.OnceValue(func() [][2]*regexp.Regexp {
	all := make([][2]*regexp.Regexp, len(sandboxHints))
	for i, h := range sandboxHints {
		all[i] = [2]*regexp.Regexp{regexp.MustCompile(`(?i)` + h.output), regexp.MustCompile(h.command)}
	}
	return all
})

// hint returns the explanation of a failure in the sandbox, or "".
func (y *SessionResources) hint(output string, call shellCall, online bool) string {
	if y.Dir != "" && strings.Contains(call.Command, y.Dir) {
		return logHint
	}
	for i, matches := range compiledHints() {
		h := sandboxHints[i]
		if h.offline && online || h.home && !y.Confine.HidesHome() || !matches[0].MatchString(output) || !matches[1].MatchString(call.Command) {
			continue
		}
		mayBeOwner := i == len(sandboxHints)-1 || i == 0 && strings.Contains(strings.ToLower(output), "permission denied")
		if mayBeOwner && os.Geteuid() == 0 && confine.IsForeign(call.Dir) {
			h = sandboxHint{text: foreignHint, leave: orLeave}
		}
		if y.Confine.Required {
			return h.text
		}
		return h.text + h.leave
	}
	return ""
}
