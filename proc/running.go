package proc

import (
	"context"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Running is a command that was started. Only Start sets Stdin and Stdout. The
// caller closes Stdout; End closes Stdin.
type Running struct {
	PID    int
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	keeper    *Keeper
	command   Command
	pipes     *plumbing
	cmd       *exec.Cmd
	container *container

	noteMu sync.Mutex
	noted  string   // the name of its entry in the ledger; "" if it has none
	serves []string // see Serve

	stop        chan struct{} // closed by the first End
	force       chan struct{} // closed by the first force of any End
	exited      chan struct{} // closed when the process itself has exited; code is set before
	outputEnded chan struct{} // closed at the end of the output
	diskLow     chan struct{} // closed when the file system of Limits.Disk is almost full
	done        chan struct{} // closed when all processes have ended; exit and report are set before
	once        sync.Once
	hurry       sync.Once
	exitOnce    sync.Once
	code        int
	exit        Exit
	report      Report
}

func newRunning(k *Keeper, c Command, p *plumbing) *Running {
	r := &Running{keeper: k, command: c, pipes: p}
	for _, ch := range []*chan struct{}{&r.stop, &r.force, &r.exited, &r.outputEnded, &r.diskLow, &r.done} {
		*ch = make(chan struct{})
	}
	return r
}

// follow starts the goroutines of a command. When done is closed, all of them
// have returned, except possibly the one that reads from the caller's Stdin and
// the one that watches the disk, which a file system that does not respond can
// block.
func (r *Running) follow(piped bool) {
	if piped {
		r.Stdin, r.Stdout = r.pipes.in, r.pipes.out
	} else if r.pipes.in != nil {
		go feed(r.pipes.in, r.command.Stdin)
	}
	go func() {
		defer close(r.outputEnded)
		copyOut(r.pipes.captured, r.command.Output)
	}()
	go func() {
		_ = r.cmd.Wait() // does not wait for pipes, because they are *os.File
		r.container.reaped()
		r.hasExited(r.cmd.ProcessState.ExitCode())
	}()
	if r.command.Status != nil {
		go r.readStatus()
	}
	if r.command.Limits.Disk != "" {
		go r.watchDisk()
	}
	go r.see()
}

// Done returns a channel that is closed when the command and all of its
// descendants have ended.
func (r *Running) Done() <-chan struct{} { return r.done }

// Wait waits until Done is closed, and returns the result.
func (r *Running) Wait() Exit {
	<-r.done
	return r.exit
}

// End ends the command and all of its descendants, by the ladder. It returns
// when they are proven to be gone, or at the latest about 4 s after the grace
// period. Closing force ends the grace period. Every call returns the same
// report, even if the command ended by itself or by another call.
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

// Run runs the command until it exits or ctx is done. When Run returns, all
// descendants of the command have ended or are listed in Survivors, and the
// output has been passed to Output. Run returns an error only if the command
// was not started: the start failed, or ctx was already done.
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

// see waits for the end of the command, ends its descendants, and completes the
// report.
func (r *Running) see() {
	defer close(r.done)
	how, limit := r.watch()
	closeAll(r.pipes.in) // processes that read stdin until EOF can exit
	r.report = ladder(r.container, r.keeper.opts.Grace, r.force)
	r.report.LimitsBy, r.report.Limit = r.container.limited()
	if limit != "" {
		r.report.Limit = limit
	}
	r.sign(how)
	r.drain()
	closeAll(r.command.Status)
	r.container.leave()
	if len(r.report.Survivors) == 0 {
		r.keeper.erase(r)
	} else {
		r.keeper.opts.Logger.Warn("processes could not be ended", "owner", r.command.Owner, "survivors", r.report.Survivors)
	}
	r.keeper.remove(r)
}

// watch waits until the command exits by itself (Exited), End is called, or a
// limit is reached that this process enforces (both Terminated). Meanwhile it
// scans for descendants: often at first, when most of them are started, then
// once per second.
func (r *Running) watch() (how How, limit string) {
	const first, last = 20 * time.Millisecond, time.Second
	pause := first
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-r.exited:
			return Exited, ""
		case <-r.stop:
			return r.exitedOr(Terminated), ""
		case <-r.diskLow:
			return r.exitedOr(Terminated), LimitDisk
		case <-timer.C:
			r.container.tend()
			pause = min(2*pause, last)
			timer.Reset(pause)
		}
	}
}

// exitedOr returns Exited if the command has exited by itself in the same
// moment, otherwise how.
func (r *Running) exitedOr(how How) How {
	select {
	case <-r.exited:
		return Exited
	default:
		return how
	}
}

// sign completes the report. The command itself comes first, under its label. If a
// helper started it, it is the helper's child, or the helper if it was too early.
func (r *Running) sign(how How) {
	self := Ended{PID: r.PID, Name: r.command.label(), How: how}
	if how != Exited && r.report.command != 0 {
		self.PID = r.report.command
	}
	rest := make([]Ended, 0, len(r.report.Ended))
	for _, e := range r.report.Ended {
		if e.PID == self.PID && how != Exited {
			self.How = e.How
		} else {
			rest = append(rest, e)
		}
	}
	if !r.report.survived(self.PID) {
		rest = append([]Ended{self}, rest...)
	}
	r.report.Ended = own(rest, r.command.Owner)
	own(r.report.Survivors, r.command.Owner)
	r.exit = Exit{PID: r.PID, Code: -1, How: self.How, Report: r.report}
	if !r.report.survived(r.PID) {
		r.exit.Code = r.exitCode()
	}
}

func (r *Report) survived(pid int) bool {
	return slices.ContainsFunc(r.Survivors, func(e Ended) bool { return e.PID == pid })
}

// exitCode returns the exit code of a process that has exited. It waits up to one
// second for os/exec to collect it.
func (r *Running) exitCode() int {
	late := time.NewTimer(time.Second)
	defer late.Stop()
	select {
	case <-r.exited:
		return r.code
	case <-late.C:
		return -1
	}
}

func (r *Running) hasExited(code int) {
	r.exitOnce.Do(func() {
		r.code = code
		close(r.exited)
	})
}

// readStatus waits for the exit code from a helper that outlives the command.
func (r *Running) readStatus() {
	var code [1]byte
	if n, _ := r.command.Status.Read(code[:]); n == 1 {
		r.hasExited(int(code[0]))
	}
}

func own(list []Ended, owner string) []Ended {
	for i := range list {
		list[i].Owner = owner
	}
	return list
}

// drain reads the rest of the output. If no process holds the pipe, reading
// ends at EOF; a survivor could keep the pipe open forever, so drain has a time
// limit.
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
	case <-r.outputEnded:
	case <-timer.C:
		_ = r.pipes.captured.SetReadDeadline(time.Now())
		<-r.outputEnded
	}
	closeAll(r.pipes.captured)
}

// label returns the name that is shown to users.
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
