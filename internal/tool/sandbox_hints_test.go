package tool

import (
	"os"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/confine"
)

func TestHint_OutputOfAFailedCommand_NamesTheCauseAndTheSetting(t *testing.T) {
	t.Parallel()
	y := &SessionResources{Dir: "/data/background", Confine: &confine.Policy{}}
	for output, want := range map[string]string{
		"error: could not write config file .git/config: Device or resource busy":                                ".git/config",
		"error: could not lock config file .git/config: Read-only file system":                                   ".git/config",
		"cannot create .git/hooks/pre-commit: Read-only file system":                                             ".git/hooks",
		"error: gpg failed to sign the data\nfatal: failed to write commit object":                               "~/.gnupg",
		"git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.":                "sandbox.show",
		"ssh: Could not resolve hostname github.com: Temporary failure in name resolution":                       "sandbox.show",
		"curl: (56) CONNECT tunnel failed, response 403":                                                         "sandbox.domains",
		"OSError('Tunnel connection failed: 403 Forbidden')":                                                     "sandbox.domains",
		"fatal: unable to access 'https://x/': CONNECT tunnel failed, response 403":                              "sandbox.domains",
		"network access to x is not allowed: the command runs in a sandbox.":                                     "sandbox.domains",
		`Get "https://x/": Refused by the Bellcord sandbox`:                                                      "sandbox.domains",
		"RequestAbortedError: Proxy response (403) !== 200 when HTTP Tunneling":                                  "sandbox.domains",
		"npm error 403 403 Refused by the Bellcord sandbox - GET https://x/y":                                    "sandbox.domains",
		"Error: getaddrinfo EAI_AGAIN host":                                                                      "NODE_USE_ENV_PROXY",
		"curl: (7) Failed to connect to 127.0.0.1 port 6379 after 0 ms: Couldn't connect to server":              `sandbox.network = "on"`,
		"bash: connect: Connection refused":                                                                      `sandbox.network = "on"`,
		"remote: error: unable to create temporary object directory\n ! [remote rejected] HEAD (unpacker error)": "sandbox.write",
		"mkdir: cannot create directory '/opt/x': Read-only file system":                                         "sandbox.write",
	} {
		if got := y.hint(output, shellCall{}, false); !strings.Contains(got, want) || !strings.Contains(got, "sandbox") {
			t.Errorf("%s: %q, want %s", output, got, want)
		}
	}
	for _, output := range []string{"FAIL: 1 test failed", "make: *** [all] Error 1", "assertion 403 != 404", "gpg is a program", ""} {
		if got := y.hint(output, shellCall{}, false); got != "" {
			t.Errorf("%s: %q", output, got)
		}
	}
	if got := y.hint("connect: Connection refused", shellCall{}, true); got != "" {
		t.Errorf("with the network of the machine: %q", got)
	}
	log := shellCall{shellArgs: shellArgs{Command: "tail /data/background/s/background-1.log"}}
	if got := y.hint("No such file or directory", log, false); got != logHint {
		t.Errorf("the log of a command: %q", got)
	}
}

func TestHint_HomeDirectoryIsHidden_NamesTheSettingsUnlessTheCauseIsAnother(t *testing.T) {
	t.Parallel()
	y := &SessionResources{Confine: &confine.Policy{Home: "/home/a", Tools: []string{"/home/a/go"}}}
	for output, want := range map[string]string{
		"x.go:2:8: replacement directory ../../lib does not exist":                                "sandbox.home",
		"fatal: '/home/a/bare.git' does not appear to be a git repository":                        "sandbox.write",
		"Error: Cannot find module '../lib'":                                                      "sandbox.show",
		"cat: ../lib/file: Permission denied":                                                     "sandbox.home",
		"git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.": "~/.ssh",
		"mkdir: cannot create directory '/opt/x': Read-only file system":                          "sandbox.write",
	} {
		if got := y.hint(output, shellCall{}, false); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %s", output, got, want)
		}
	}
	if got := y.hint("FAIL: 1 test failed", shellCall{}, false); got != "" {
		t.Errorf("a failure that the sandbox does not cause: %q", got)
	}
}

func TestHint_RootInADirectoryOfAnotherUser_NamesTheOwnerIfAccessIsDenied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	call := shellCall{Call: Call{Dir: dir}}
	for output, isOwner := range map[string]bool{
		"error: could not lock config file .git/config: Permission denied":         true,
		"mkdir: cannot create directory 'x': Permission denied":                    true,
		"error: could not write config file .git/config: Device or resource busy":  false,
		"git@host: Permission denied (publickey).\nfatal: Could not read from it.": false,
	} {
		if got := (&SessionResources{Confine: &confine.Policy{}}).hint(output, call, false); strings.HasPrefix(got, foreignHint) != isOwner {
			t.Errorf("%s: %q", output, got)
		}
	}
}
