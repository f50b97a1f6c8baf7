package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// self is this executable, even after an update has replaced its file.
const self = "/proc/self/exe"

// wrap returns the command at the level of the box. If check is set, the helper
// checks its restrictions instead of starting the command.
func (b *Box) wrap(p Profile, args []string, check string) (*Wrapped, error) {
	w := &wrapping{Wrapped: &Wrapped{}}
	w.Close = sync.OnceFunc(w.release)
	w.plan.Check = check
	if b.level != Namespaces { // at the level Landlock the directory itself can be replaced
		p.Absent, p.Links, p.Create, p.Indexes = nil, nil, nil, nil
	}
	v, err := p.open()
	if err != nil {
		return nil, err
	}
	restore, err := v.kept()
	if err == nil {
		w.releases = append(w.releases, restore)
	}
	w.releases = append(w.releases, v.close)
	if b.level == Namespaces && len(p.Show) > 0 && err == nil {
		err = v.show(args[0])
	}
	switch {
	case err != nil:
	case b.level == Landlock:
		err = w.landlock(b, v, args)
	case b.means == Bubblewrap:
		err = w.bubblewrap(b, v, args)
	default:
		err = w.namespaces(v, args)
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	return w.Wrapped, nil
}

// show adds the paths of Show, read-only. It returns an error if the program is
// hidden nevertheless.
func (v *view) show(program string) error {
	for _, at := range openHidden(v.Show, func(Link) {}) {
		if visible(at.path, v.steps()) {
			continue
		}
		for _, dir := range openHidden(privateDirs, func(Link) {}) {
			if rest, is := strings.CutPrefix(at.path, dir.path+"/"); is {
				name, _, _ := strings.Cut(rest, "/")
				shown, err := openPlace(filepath.Join(dir.path, name))
				if err != nil {
					return err
				}
				v.read = append(v.read, shown)
			}
		}
	}
	if real := openHidden([]string{program}, func(Link) {}); len(real) > 0 && !visible(real[0].path, v.steps()) {
		return fmt.Errorf("the sandbox hides the program %s: move it, or start it without the sandbox", program)
	}
	return nil
}

// wrapping is a Wrapped while it is built.
type wrapping struct {
	*Wrapped
	plan     stage.Plan
	releases []func()
}

func (w *wrapping) release() {
	for _, f := range w.releases {
		f()
	}
	for _, f := range w.Files {
		_ = f.Close() // the caller may have closed it
	}
}

// pass adds a file for the helper, and returns its descriptor there.
func (w *wrapping) pass(f *os.File) int64 {
	w.Files = append(w.Files, f)
	return int64(stage.PlanFD + len(w.Files) - 1)
}

// memory returns an unnamed file with the given content.
func memory(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(content); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// seal writes the plan to the file that was reserved for it.
func (w *wrapping) seal() error {
	f, err := memory("plan", w.plan.Encode())
	if err == nil {
		w.Files[0] = f
	}
	return err
}

func (w *wrapping) namespaces(v *view, args []string) error {
	w.pass(nil) // the plan
	for _, s := range v.steps() {
		w.plan.Steps = append(w.plan.Steps, s.Step)
	}
	if err := w.confined(v.Profile); err != nil {
		return err
	}
	w.Args = append([]string{self, stage.Word, stage.Namespaces}, args...)
	return w.seal()
}

// confined adds what both means of the level Namespaces have in common.
func (w *wrapping) confined(p Profile) error {
	w.plan.Network = p.Network == On
	w.plan.Scope = p.Network == On // an own network has no abstract sockets of others
	w.plan.Debuggers = true
	w.plan.Sockets = stage.AllSockets
	w.Env = append(w.Env, "TMPDIR=/tmp")
	if err := w.lifecycle(); err != nil {
		return err
	}
	if p.Network != Proxy {
		return nil
	}
	w.plan.ListenPort = proxyPort
	if p.Servers {
		w.plan.Spare = spareSockets
	}
	w.Env = append(w.Env, proxyEnv("http://127.0.0.1:"+strconv.Itoa(proxyPort))...)
	return w.receiver()
}

// lifeline is a pipe to which nobody writes. Only this process has the end for
// writing, so that the pipe ends when this process does, in whichever way.
var lifeline = sync.OnceValue(func() (p struct {
	read, write *os.File
	err         error
},
) {
	p.read, p.write, p.err = os.Pipe()
	return p
})

// lifecycle connects process 1 of the namespaces to the end of this process, and to
// Status.
func (w *wrapping) lifecycle() error {
	line := lifeline()
	if line.err != nil {
		return line.err
	}
	life, err := duplicate(line.read)
	if err != nil {
		return err
	}
	w.plan.LifeFD = w.pass(life)
	ours, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	w.Status = ours
	w.releases = append(w.releases, func() { _ = ours.Close() })
	w.plan.StatusFD = w.pass(theirs)
	return nil
}

// receiver creates the socket through which the listener arrives.
func (w *wrapping) receiver() error {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("create a socket pair: %w", err)
	}
	w.plan.SocketFD = w.pass(os.NewFile(uintptr(ends[1]), "sandbox"))
	ours := os.NewFile(uintptr(ends[0]), "sandbox")
	defer func() { _ = ours.Close() }() // net.FileConn has a copy
	conn, err := net.FileConn(ours)
	if err != nil {
		return err
	}
	w.releases = append(w.releases, func() { _ = conn.Close() })
	spare := &spareSet{}
	w.releases = append(w.releases, spare.close)
	if w.plan.Spare > 0 {
		w.Listen = spare.listen
		w.Ready = func() { _, _ = conn.Write([]byte{1}) } // fails if the command has ended
	}
	w.Listener = func(ctx context.Context) (net.Listener, error) {
		stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
		defer stop()
		l, err := receive(conn.(*net.UnixConn), spare)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
		if err != nil {
			return nil, fmt.Errorf("receive the proxy's listener from the sandbox: %w", err)
		}
		return l, nil
	}
	return nil
}

// receive receives the listener and the spare sockets.
func receive(conn *net.UnixConn, spare *spareSet) (net.Listener, error) {
	buffer := make([]byte, unix.CmsgSpace(4*(1+spareSockets)))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), buffer)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(buffer[:n])
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, errors.New("the sandbox ended before it existed")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	spare.add(fds[1:])
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer func() { _ = f.Close() }() // net.FileListener has a copy
	return net.FileListener(f)
}

func (w *wrapping) landlock(b *Box, v *view, args []string) error {
	w.pass(nil) // the plan
	p, temp := v.Profile, v.Tmp
	if temp == "" {
		var err error
		if temp, err = os.MkdirTemp(b.options.Temp, "bellcord-tmp-"); err != nil {
			return err
		}
		w.releases = append(w.releases, func() { _ = os.RemoveAll(temp) })
	}
	w.Env = append(w.Env, "TMPDIR="+temp)
	real, err := filepath.EvalSymlinks(temp)
	if err != nil {
		return err
	}
	w.plan.Rules = v.rules(real)
	w.plan.Scope = true
	w.plan.Network = p.Network == On
	w.plan.RestrictTCP = p.Network != On
	w.plan.Sockets = stage.NoUnixSockets
	if p.Network != On {
		w.plan.Sockets = stage.NoSockets
	}
	if p.Network == Proxy {
		if err := w.loopback(); err != nil {
			return err
		}
	}
	w.Args = append([]string{self, stage.Word, stage.Landlock}, args...)
	return w.seal()
}

// loopback listens on the host. Everyone on the host can reach it, so it needs a
// password. Without restrictions of TCP the command gets no socket at all.
func (w *wrapping) loopback() error {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // does not block
	if err != nil {
		return err
	}
	var taken atomic.Bool // the caller closes it
	w.releases = append(w.releases, func() {
		if !taken.Load() {
			_ = l.Close()
		}
	})
	w.Listener = func(context.Context) (net.Listener, error) {
		taken.Store(true)
		return l, nil
	}
	if stage.LandlockVersion() >= 4 {
		w.plan.Sockets = stage.TCPSockets
		w.plan.ConnectPort = int64(l.Addr().(*net.TCPAddr).Port)
	}
	password := rand.Text()
	w.ProxyPassword = password
	w.Env = append(w.Env, proxyEnv("http://bellcord:"+password+"@"+l.Addr().String())...)
	return nil
}
