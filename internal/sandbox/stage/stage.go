// Package stage is the part of the sandbox that runs in a new process: it
// confines itself according to a [Plan], and then starts the command.
//
// The helper is this executable, started again with [Word] as its first
// argument. It takes over in the init function of this package, before main and
// before the initialisation of most other packages: Go initialises packages in
// the order of their import paths, as soon as their imports are ready. That
// saves several milliseconds for each command. It works only while this package
// imports next to nothing: packages such as fmt, strings, encoding/json and
// golang.org/x/sys/unix become ready after many large libraries. For this reason
// the package declares the numbers of the kernel itself; a test compares them
// with x/sys. Test binaries that link this package are helpers, too.
//
// The package decides nothing. Package sandbox resolves the paths, orders the
// steps, and writes the plan to a file that the helper inherits.
package stage

import "errors"

// Word is the first argument of the helper.
const Word = "__sandbox"

// Roles of the helper: its second argument. The command follows.
const (
	Namespaces = "namespaces" // creates the namespaces, starts Inner, and waits
	Inner      = "inner"      // is process 1 of the namespaces
	Inside     = "inside"     // is process 1 of the namespaces of bubblewrap
	Landlock   = "landlock"   // restricts itself
)

// Exit codes of the helper where the command has none.
const (
	Failed        = 125 // the sandbox could not be set up
	NotExecutable = 126
	NotFound      = 127
)

// PlanFD is the file descriptor of the plan.
const PlanFD = 3

// Kind is what a step does with its path.
type Kind byte

// Kinds of steps.
const (
	Write    Kind = 'w' // bind the path onto itself, writable
	ReadOnly Kind = 'r' // bind the path onto itself, read-only
	HideDir  Kind = 'h' // cover a directory with an empty, read-only one
	HideFile Kind = 'n' // cover a file with the null device
	Bind     Kind = 'b' // cover a directory with another one, writable
	Private  Kind = 't' // cover a directory with an empty, writable one of a limited size
	Devices  Kind = 'd' // cover /dev with the devices that commands need
	Proc     Kind = 'p' // cover /proc with that of the namespace
)

// Step is one mount. Steps are in the order of their paths, parents first. No path
// has a symbolic link: the helper follows none.
type Step struct {
	Kind     Kind
	Path     string
	Dev, Ino uint64 // the file that has to be at Path, unless Ino is 0
	Size     int64  // of a Private directory, in bytes
	Source   string // the other directory of Bind
}

// Rule allows access to everything below a path, which has no symbolic link.
type Rule struct {
	Path     string
	Dev, Ino uint64 // the file that has to be at Path, unless Ino is 0
	Access   uint64 // Landlock's bits
}

// Sockets is the group of sockets that the system call filter allows.
type Sockets byte

// Groups of sockets.
const (
	AllSockets    Sockets = 'a'
	NoUnixSockets Sockets = 'u' // all but AF_UNIX
	TCPSockets    Sockets = 't' // TCP alone
	NoSockets     Sockets = 'n' // pairs of connected UNIX sockets alone
)

// Plan describes one sandbox.
type Plan struct {
	Steps   []Step
	Mounts  []string // the only mounts that may exist in the namespaces of bubblewrap
	Network bool     // the network of the host, not an empty one

	ListenPort  int64 // on loopback, for the proxy; 0: no listener
	Spare       int64 // unbound TCP sockets to send with the listener; the helper then waits for one byte
	SocketFD    int64 // the socket through which the listener is sent
	ExtraFD     int64 // a file descriptor that the command must not inherit; 0: none
	LifeFD      int64 // a pipe that ends with the server: process 1 then exits, and all others with it
	StatusFD    int64 // a pipe for the exit code of a command that leaves processes behind
	Rules       []Rule
	ConnectPort int64 // the only TCP port that may be connected to; 0: none
	RestrictTCP bool
	Scope       bool // refuse signals to, and abstract sockets of, processes outside
	Debuggers   bool // allow ptrace: the processes outside are not visible
	Sockets     Sockets

	// Check is a directory with the files "hidden" and "write". If it is set,
	// the helper checks its own restrictions instead of starting a command.
	Check string
}

// Encode returns the plan as bytes.
func (p *Plan) Encode() []byte {
	e := &encoder{}
	e.number(int64(len(p.Steps)))
	for _, s := range p.Steps {
		e.number(int64(s.Kind))
		e.text(s.Path)
		e.number(int64(s.Dev))
		e.number(int64(s.Ino))
		e.number(s.Size)
		e.text(s.Source)
	}
	e.number(int64(len(p.Mounts)))
	for _, path := range p.Mounts {
		e.text(path)
	}
	e.flag(p.Network)
	e.number(p.ListenPort)
	e.number(p.Spare)
	e.number(p.SocketFD)
	e.number(p.ExtraFD)
	e.number(p.LifeFD)
	e.number(p.StatusFD)
	e.number(int64(len(p.Rules)))
	for _, r := range p.Rules {
		e.text(r.Path)
		e.number(int64(r.Dev))
		e.number(int64(r.Ino))
		e.number(int64(r.Access))
	}
	e.number(p.ConnectPort)
	e.flag(p.RestrictTCP)
	e.flag(p.Scope)
	e.flag(p.Debuggers)
	e.number(int64(p.Sockets))
	e.text(p.Check)
	return e.out
}

// Decode returns the plan that Encode wrote.
func Decode(b []byte) (*Plan, error) {
	d := &decoder{in: b}
	p := &Plan{}
	for n := d.number(); n > 0 && !d.bad; n-- {
		p.Steps = append(p.Steps, Step{
			Kind: Kind(d.number()), Path: d.text(), Dev: uint64(d.number()), Ino: uint64(d.number()),
			Size: d.number(), Source: d.text(),
		})
	}
	for n := d.number(); n > 0 && !d.bad; n-- {
		p.Mounts = append(p.Mounts, d.text())
	}
	p.Network = d.flag()
	p.ListenPort = d.number()
	p.Spare = d.number()
	p.SocketFD = d.number()
	p.ExtraFD = d.number()
	p.LifeFD = d.number()
	p.StatusFD = d.number()
	for n := d.number(); n > 0 && !d.bad; n-- {
		p.Rules = append(p.Rules, Rule{
			Path: d.text(), Dev: uint64(d.number()), Ino: uint64(d.number()), Access: uint64(d.number()),
		})
	}
	p.ConnectPort = d.number()
	p.RestrictTCP = d.flag()
	p.Scope = d.flag()
	p.Debuggers = d.flag()
	p.Sockets = Sockets(d.number())
	p.Check = d.text()
	if d.bad || len(d.in) != 0 {
		return nil, errors.New("the plan of the sandbox is damaged")
	}
	return p, nil
}

type encoder struct{ out []byte }

func (e *encoder) number(n int64) {
	for i := range 8 {
		e.out = append(e.out, byte(uint64(n)>>(8*i)))
	}
}

func (e *encoder) flag(b bool) {
	if b {
		e.number(1)
	} else {
		e.number(0)
	}
}

func (e *encoder) text(s string) {
	e.number(int64(len(s)))
	e.out = append(e.out, s...)
}

type decoder struct {
	in  []byte
	bad bool
}

func (d *decoder) number() int64 {
	if len(d.in) < 8 {
		d.bad = true
		return 0
	}
	var n uint64
	for i := range 8 {
		n |= uint64(d.in[i]) << (8 * i)
	}
	d.in = d.in[8:]
	return int64(n)
}

func (d *decoder) flag() bool { return d.number() != 0 }

func (d *decoder) text() string {
	n := d.number()
	if n < 0 || n > int64(len(d.in)) {
		d.bad = true
		return ""
	}
	s := string(d.in[:n])
	d.in = d.in[n:]
	return s
}
