package proc

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Running is a command that was started. Stdin and Stdout are set by Start
// only; the caller closes Stdout, and End closes Stdin.
type Running struct {
	PID    int
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	keeper  *Keeper
	command Command
	pipes   *plumbing
	cmd     *exec.Cmd
	pen     *pen
	noted   string

	stop   chan struct{} // closed by the first End
	force  chan struct{} // closed by the first force of any End
	gone   chan struct{} // closed when the process itself is gone; err is set before
	heard  chan struct{} // closed when its output has ended
	done   chan struct{} // closed when all is over; exit and report are set before
	once   sync.Once
	hurry  sync.Once
	err    error
	exit   Exit
	report Report
}

func newRunning(k *Keeper, c Command, p *plumbing) *Running {
	r := &Running{keeper: k, command: c, pipes: p}
	for _, ch := range []*chan struct{}{&r.stop, &r.force, &r.gone, &r.heard, &r.done} {
		*ch = make(chan struct{})
	}
	return r
}

// follow starts the goroutines of a command; done is closed when all have
// ended, but for one that waits for the caller's own Stdin to say something.
func (r *Running) follow(piped bool) {
	if piped {
		r.Stdin, r.Stdout = r.pipes.in, r.pipes.out
	} else if r.pipes.in != nil {
		go feed(r.pipes.in, r.command.Stdin)
	}
	go func() {
		defer close(r.heard)
		copyOut(r.pipes.captured, r.command.Output)
	}()
	go func() {
		defer close(r.gone)
		r.err = r.cmd.Wait() // hangs on no pipe: they are files
		r.pen.reaped()
	}()
	go r.see()
}

// Done is closed when the command and all that came from it are over.
func (r *Running) Done() <-chan struct{} { return r.done }

// Wait waits until Done and says how it was.
func (r *Running) Wait() Exit {
	<-r.done
	return r.exit
}

// End ends the command and all that came from it, by the ladder, and returns
// when it is proved, or after the grace and 4 s more. Closing force ends the
// grace. Every call gets the same report, also of an end that was none of its doing.
func (r *Running) End(force <-chan struct{}) Report {
	r.once.Do(func() { close(r.stop) })
	select {
	case <-r.done:
	case <-force:
		r.hurry.Do(func() { close(r.force) })
		<-r.done
	}
	return r.report
}

// Run runs the command to its end or to the end of ctx. In both cases all that
// came from it is ended, and has been handed to Output what it wrote, when Run
// returns. The error says that it was not started: it could not be, or ctx had
// ended before.
func (k *Keeper) Run(ctx context.Context, c Command, force <-chan struct{}) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	r, err := k.startCommand(c, false)
	if err != nil {
		return Exit{}, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		r.End(force)
	}
	return r.exit, nil
}

// see sees the command to its end, and everything with it.
func (r *Running) see() {
	defer close(r.done)
	how := r.watch()
	closeAll(r.pipes.in) // who waits for input to end is told so, too
	r.report = ladder(r.pen, r.keeper.opts.Grace, r.force)
	r.sign(how)
	r.drain()
	r.pen.leave()
	if len(r.report.Survivors) == 0 {
		r.keeper.erase(r)
	} else {
		r.keeper.opts.Logger.Warn("processes could not be ended", "owner", r.command.Owner, "survivors", r.report.Survivors)
	}
	r.keeper.remove(r)
}

// watch waits until the command ends by itself (Exited) or is to end. Meanwhile
// it keeps the tree in view: often at first, when trees are built, then seldom.
func (r *Running) watch() How {
	const first, last = 20 * time.Millisecond, time.Second
	pause := first
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-r.gone:
			return Exited
		case <-r.stop:
			select {
			case <-r.gone: // at the same moment: it ended by itself
				return Exited
			default:
				return Terminated
			}
		case <-timer.C:
			r.pen.tend()
			pause = min(2*pause, last)
			timer.Reset(pause)
		}
	}
}

// sign completes the report: the command itself comes first, by its own name.
func (r *Running) sign(how How) {
	self := Ended{PID: r.PID, Name: r.command.label(), How: how}
	rest := make([]Ended, 0, len(r.report.Ended))
	for _, e := range r.report.Ended {
		if e.PID == r.PID && how != Exited {
			self.How = e.How
		} else {
			rest = append(rest, e)
		}
	}
	survived := false
	for i := range r.report.Survivors {
		survived = survived || r.report.Survivors[i].PID == r.PID
	}
	if !survived {
		rest = append([]Ended{self}, rest...)
	}
	r.report.Ended = own(rest, r.command.Owner)
	own(r.report.Survivors, r.command.Owner)
	r.exit = Exit{PID: r.PID, Code: -1, How: self.How, Report: r.report}
	if !survived {
		r.exit.Code = r.code()
	}
}

// code is the exit code of a process that is gone, once os/exec has heard of it.
func (r *Running) code() int {
	late := time.NewTimer(time.Second)
	defer late.Stop()
	select {
	case <-r.gone:
	case <-late.C:
		return -1
	}
	var failed *exec.ExitError
	switch {
	case r.err == nil:
		return 0
	case errors.As(r.err, &failed):
		return failed.ExitCode()
	default:
		return -1
	}
}

func own(list []Ended, owner string) []Ended {
	for i := range list {
		list[i].Owner = owner
	}
	return list
}

// drain hands over what is still in the pipe. With nobody left to hold it, it
// ends as soon as it is read; a survivor could hold it for ever.
func (r *Running) drain() {
	patience := 2 * time.Second
	if len(r.report.Survivors) > 0 {
		patience = 100 * time.Millisecond
		if r.pipes.out != nil {
			_ = r.pipes.out.SetReadDeadline(time.Now().Add(patience))
		}
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.heard:
	case <-timer.C:
		_ = r.pipes.captured.SetReadDeadline(time.Now())
		<-r.heard
	}
	closeAll(r.pipes.captured)
}

// label is what people know a command by.
func (c Command) label() string {
	if c.Name != "" {
		return c.Name
	}
	return shorten(strings.Join(c.Args, " "))
}

func copyOut(from io.Reader, to func([]byte)) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && to != nil {
			to(buf[:n])
		}
		if err != nil {
			return
		}
	}
}
