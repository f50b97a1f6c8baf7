// Package sandbox confines commands: what they can read, write and reach.
//
// A [Box] has one of three levels. [Namespaces] gives a command its own view of
// the file system, of the processes and of the network; the end of the first
// process in it is the end of all. [Landlock] restricts the command on the view
// of the host, with a filter of system calls, and without any capability. [None]
// changes nothing. Open finds the best level by trying: each is used once, and
// must hide a file and refuse a write.
//
// Inside, root is an ordinary user: it has no capability, and can write only to
// files that it owns. Paths are hidden as they are when the command starts; a
// path that appears later is not. Each command has a separate network unless the
// network is On: a server that one command starts cannot be reached by the
// next.
//
// The package starts nothing. [Box.Wrap] returns the command to start instead,
// with package proc or os/exec. That command is a helper of package stage, or
// bubblewrap. Both exit with the code of the command. Processes that the command
// leaves behind stay in the sandbox, with the helpers; [Wrapped.Status] then has
// the command's code. They can be found and ended from outside, as can the helpers:
// they keep the session, the environment and the cgroup. The helpers ignore
// SIGTERM, SIGINT and SIGHUP, so that a signal to all processes ends the command
// first. A signal that arrives before the command exists is lost:
// proc.Command.Helper makes package proc send another.
//
// At the level Namespaces, all processes end when this process ends, even if it is
// killed. At other levels they go on.
package sandbox

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Level is how commands are confined.
type Level string

// Levels, from strong to weak. Seatbelt exists on macOS alone.
const (
	Namespaces Level = "namespaces"
	Seatbelt   Level = "seatbelt"
	Landlock   Level = "landlock"
	None       Level = "none"
)

// Network is what a command can reach.
type Network string

// Networks.
const (
	Off   Network = "off"
	Proxy Network = "proxy" // a proxy of the server alone
	On    Network = "on"
)

// Mode decides whether commands are confined.
type Mode string

// Modes.
const (
	Auto     Mode = "auto"
	Require  Mode = "require"
	Disabled Mode = "off"
)

// Means of the level Namespaces.
const (
	Bubblewrap = "bubblewrap"
	Bellcord   = "bellcord"
)

// defaultTmp is the size of /tmp without a setting.
const defaultTmp = 1 << 30

// Profile lists what a command can use. Paths are absolute. Each is opened once, and
// from then on it stands for the file that was opened. A symbolic link in a path is
// followed only if no command can have made it, or if the path is a hidden one. In Own,
// no link is followed: Wrap returns an error. Missing paths are skipped.
//
// A hidden path wins over everything but Own. Otherwise the most specific path counts.
type Profile struct {
	Own      []string // the session's directories: writable, and visible also inside a hidden directory
	Write    []string // other directories and files that stay writable
	ReadOnly []string // paths below Own and Write that are read-only
	Hide     []string // files and directories that cannot be seen
	Conceal  []string // directories in which only what Own, Write and Read name is visible
	Read     []string // readable paths inside Conceal; those in Own and Write are writable
	Show     []string // paths in /tmp that stay visible, each with its directory directly below /tmp; others are ignored
	Network  Network

	// Absent are files that must not exist, and Links are links that must stay as they
	// are. At the level Namespaces, what the command has put at such a path is renamed
	// after its end, and the link is made again. So is the repository of a submodule
	// that the command has added to one of Indexes. Create are directories that Wrap
	// creates. All of this happens only in what Own and Write contain.
	Absent  []string
	Links   []Link
	Create  []string
	Indexes []Index

	Servers  bool  // at the level Namespaces with a proxy, Wrapped.Listen is set
	TmpBytes int64 // size of the command's own /tmp; 0: 1 GiB

	// Tmp and VarTmp are directories that the command sees as /tmp and /var/tmp. At
	// the levels Landlock and Seatbelt, the variable TMPDIR names Tmp, and VarTmp is
	// not used. Empty: the command has its own, which are empty.
	Tmp, VarTmp string
}

// Options are the settings of a Box. The zero value finds the best level.
type Options struct {
	Level Level  // only this level; empty: the best
	Means string // only these means of Namespaces; empty: bubblewrap, then Bellcord's own helper
	Temp  string // parent of the temporary directories of Landlock; empty: os.TempDir
}

// Box confines commands. It is safe for concurrent use.
type Box struct {
	mode    Mode
	options Options
	ctx     context.Context //nolint:containedctx // of the one search, which runs when the level is needed

	once    sync.Once
	level   Level
	means   string
	missing []string
	exe     *os.File // this executable, for bubblewrap; it survives an update
	bwrap   string
}

// ErrUnavailable is the cause of the error of Open if a sandbox is required and
// the machine has none.
var ErrUnavailable = errors.New("no sandbox is available")

// Open returns a Box. With Auto, the level is found when it is first needed. With
// Require, it is found now, and having none is an error with the reasons. The
// context limits the search.
func Open(ctx context.Context, mode Mode, o Options) (*Box, error) {
	b := &Box{mode: mode, options: o, ctx: context.WithoutCancel(ctx)}
	switch mode {
	case Auto:
		return b, nil
	case Disabled:
		b.once.Do(func() {
			b.level, b.missing = None, []string{"the sandbox is switched off"}
		})
		return b, nil
	case Require:
		b.ctx = ctx
		b.find()
		b.ctx = context.WithoutCancel(ctx)
		if b.level == None {
			b.Close()
			return nil, &requiredError{b.missing}
		}
		return b, nil
	}
	return nil, errors.New(`unknown mode of the sandbox: ` + string(mode) + ` (choose "auto", "require" or "off")`)
}

type requiredError struct{ reasons []string }

func (e *requiredError) Error() string {
	return "the sandbox is required, and this machine has none: " + strings.Join(e.reasons, "; ") +
		". Install bubblewrap, allow unprivileged user namespaces, or use a kernel with Landlock (5.13 or later). " +
		`Or set [sandbox] mode to "auto" to run commands without a sandbox`
}

func (e *requiredError) Unwrap() error { return ErrUnavailable }

// Level returns how commands are confined.
func (b *Box) Level() Level {
	b.find()
	return b.level
}

// Confines reports whether commands run in a sandbox. Where the kernel has
// Landlock, that is certain without the search for the best level, which takes
// several milliseconds.
func (b *Box) Confines() bool {
	return b.mode != Disabled && b.options.Level == "" && hasLandlock() || b.Level() != None
}

// Means returns what creates the namespaces: Bubblewrap or Bellcord. It is empty
// at other levels.
func (b *Box) Means() string {
	b.find()
	return b.means
}

// Missing returns why a better level is not available.
func (b *Box) Missing() []string {
	b.find()
	return b.missing
}

// Close releases the resources of the box. Commands go on.
func (b *Box) Close() {
	if b.exe != nil {
		_ = b.exe.Close()
	}
}

func (b *Box) find() { b.once.Do(b.search) }

// Wrapped is a command in its sandbox.
type Wrapped struct {
	Args  []string   // to start instead
	Env   []string   // to add to the environment
	Files []*os.File // to pass as file descriptors 3 and following; close them after the start

	// Status is a pipe. When the command exits and leaves processes behind, its
	// exit code arrives as one byte, while the helpers go on. It is nil at other
	// levels than Namespaces.
	Status *os.File
	// Listener returns the listener that the command's proxy variables name. It
	// waits until the sandbox exists. It is nil unless the network is Proxy, and
	// at the level None.
	Listener func(ctx context.Context) (net.Listener, error)
	// Listen listens on a port of the loopback device that only the command has.
	// It may be called for a limited number of ports, after Listener has returned.
	// The command waits for Ready, so that it finds the ports that are there at
	// its start. Both are nil unless Profile.Servers is set, and at other levels
	// than Namespaces.
	Listen func(port int) (net.Listener, error)
	Ready  func()
	// ProxyPassword is the password that each request to the listener must have:
	// others can reach it, too. Empty: nobody else can.
	ProxyPassword string

	// Close releases what the command needed, after its end or if it was not
	// started. It may be called more than once.
	Close func()
}

// Wrap returns the command to start instead of args. The environment and the
// working directory are those with which it is started.
func (b *Box) Wrap(p Profile, args []string) (*Wrapped, error) {
	if len(args) == 0 {
		return nil, errors.New("the command is empty")
	}
	b.find()
	if b.level == None {
		return &Wrapped{Args: args, Close: func() {}}, nil
	}
	path, err := executable(args[0])
	if err != nil {
		return nil, err
	}
	args = append([]string{path}, args[1:]...)
	return b.wrap(p.complete(), args, "")
}

// executable finds a command as os/exec does. A path with a separator is
// relative to the directory in which the command starts.
func executable(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// complete returns the profile with its defaults.
func (p Profile) complete() Profile {
	if p.TmpBytes <= 0 {
		p.TmpBytes = defaultTmp
	}
	if p.Network == "" {
		p.Network = Off
	}
	return p
}

// proxyEnv returns the variables by which programs find the proxy. It switches off
// npm's check for a newer npm, about which the user would be asked.
func proxyEnv(url string) []string {
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+url, strings.ToLower(name)+"="+url)
	}
	const direct = "localhost,127.0.0.1,::1"
	// Node 22.21 and 24 use the proxy only if this variable is set.
	return append(env, "NO_PROXY="+direct, "no_proxy="+direct, "NODE_USE_ENV_PROXY=1", "npm_config_update_notifier=false")
}
