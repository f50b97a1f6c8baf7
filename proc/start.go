package proc

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
)

// Start starts a long-running command: a server, or a command that runs in the
// background. The caller writes to Stdin and reads from Stdout; stderr is
// passed to c.Output. The command runs until it exits, or until End or Close;
// in each case its descendants are ended too.
func (k *Keeper) Start(c Command) (*Running, error) {
	return k.startCommand(c, true)
}

// plumbing contains the pipes of one command: the child's ends and the parent's
// ends.
type plumbing struct {
	child    [3]*os.File
	in       *os.File // written by this process
	out      *os.File // read by the caller
	captured *os.File // read by this process, for Output
}

func (p *plumbing) pipe(parent, child **os.File, weWrite bool) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	if weWrite {
		*parent, *child = w, r
	} else {
		*parent, *child = r, w
	}
	return nil
}

// plumb creates the pipes. If piped, the caller gets stdin and stdout, and
// stderr goes to Output; otherwise stdout and stderr both go to Output.
func plumb(c Command, piped bool) (*plumbing, error) {
	p := &plumbing{}
	err := p.pipe(&p.captured, &p.child[2], false)
	if err == nil && piped {
		err = p.pipe(&p.out, &p.child[1], false)
	} else {
		p.child[1] = p.child[2] // one pipe for both keeps them in order
	}
	if err == nil && (piped || c.Stdin != nil) {
		err = p.pipe(&p.in, &p.child[0], true)
	}
	if err != nil {
		p.closeChild()
		p.closeOurs()
		return nil, err
	}
	return p, nil
}

func (p *plumbing) closeChild() { closeAll(p.child[:]...) }

func (p *plumbing) closeOurs() { closeAll(p.in, p.out, p.captured) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // a file that is already closed returns an error, which is harmless
		}
	}
}

// command returns a new exec.Cmd. Each attempt to start needs its own.
func (c Command) command(p *plumbing, id string) *exec.Cmd {
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:noctx // ended by the ladder, with its descendants
	cmd.Dir = c.Dir
	if !c.Bare {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(append(cmd.Env, c.Env...), marker(id, c.Owner))
	if p.child[0] != nil { // otherwise it reads the null device
		cmd.Stdin = p.child[0]
	}
	cmd.Stdout, cmd.Stderr = p.child[1], p.child[2]
	cmd.ExtraFiles = c.Files
	return cmd
}

func (k *Keeper) startCommand(c Command, piped bool) (*Running, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("the command is empty")
	}
	if err := k.beginStart(); err != nil {
		return nil, err
	}
	defer k.starting.Done()
	pipes, err := plumb(c, piped)
	if err != nil {
		return nil, err
	}
	r := newRunning(k, c, pipes)
	err = r.launch()
	pipes.closeChild()
	if err != nil {
		pipes.closeOurs()
		k.erase(r)
		return nil, err
	}
	k.addRunning(r)
	r.follow(piped)
	return r, nil
}

// launch starts the process inside its container. If the kernel refuses a feature
// that the container uses, launch retries once without it.
func (r *Running) launch() error {
	id := randomID()
	noCgroup := r.keeper.opts.NoCgroup
	rich := newContainer(r.command, id, noCgroup)
	rich.limit(r.command.Limits, id, noCgroup)
	err := r.try(id, rich)
	if err != nil && r.container.elaborate && !errors.Is(err, fs.ErrNotExist) {
		plain := newContainer(r.command, id, true)
		plain.elaborate = false
		plain.limit(r.command.Limits, id, noCgroup)
		err = r.try(id, plain)
	}
	if err != nil {
		return err
	}
	r.PID = r.cmd.Process.Pid
	r.note(id)
	return nil
}

func (r *Running) try(id string, p *container) error {
	r.container = p
	r.note(id)
	r.cmd = r.command.command(r.pipes, id)
	err := p.start(r.cmd)
	if err != nil {
		p.leave()
	}
	return err
}

// note writes the command to the ledger: before it starts, so that a command is
// never running without an entry, and again with its pid.
func (r *Running) note(id string) {
	r.noteMu.Lock()
	defer r.noteMu.Unlock()
	r.noteLocked(id)
}

func (r *Running) noteLocked(id string) {
	l := r.keeper.ledger
	if l == nil {
		return
	}
	e := r.container.entry()
	e.Marker, e.Owner, e.Name = id, r.command.Owner, r.command.label()
	e.Helper, e.Serves = r.command.Helper, r.serves
	if err := l.writeEntry(id, e); err != nil {
		r.keeper.opts.Logger.Warn("cannot write the process ledger", "owner", r.command.Owner, "err", err)
		return
	}
	r.noted = id
}

func (k *Keeper) erase(r *Running) {
	r.noteMu.Lock()
	defer r.noteMu.Unlock()
	if r.noted != "" {
		k.ledger.erase(r.noted)
		r.noted = ""
	}
}

// feed copies the caller's input to the process. It returns at the end of the
// input, or when the pipe has no reader.
func feed(to io.WriteCloser, from io.Reader) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
}
