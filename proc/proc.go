// Package proc starts a process for a tool call, ends everything that came
// from it, and proves that it is gone.
//
// What came from a command is whatever it started, also through setsid, nohup,
// a double fork or a cleared environment. Each command is held by all means
// that the system has: on Linux a cgroup of its own where one can be made, and
// also a session, a marker in the environment, a stamp that a process
// cannot lose by exec, and this process as the one that orphans come to; on
// macOS the session and the marker; on Windows a job object. The session has no
// controlling terminal, so a command cannot type on this process's terminal.
//
// There is one ladder: ask every process, wait out the grace, kill all of them,
// and look until nothing is left. A command that ends by itself has what it
// left behind ended by the same ladder. Everything is bounded: what is alive
// when the time is over is named, never hidden.
package proc

import (
	"errors"
	"io"
	"time"
)

// ErrClosed means that the keeper has been closed and starts nothing any more.
var ErrClosed = errors.New("the process keeper is closed")

// Command is what to run.
type Command struct {
	Args   []string
	Dir    string
	Env    []string     // added to this process's own; all there is when Bare
	Bare   bool         // do not hand on this process's environment
	Stdin  io.Reader    // for Run; nil means an empty input
	Output func([]byte) // what comes out, from one goroutine; it must not block for ever
	Owner  string       // whom it runs for: the turn
	Name   string       // what people know it by; "" means its command line
}

// How says how a process ended.
type How string

// The ways to end: by itself, after SIGTERM, or by SIGKILL. On Windows, by the
// console event and by the end of the job object.
const (
	Exited     How = "exited"
	Terminated How = "terminated"
	Killed     How = "killed"
)

// Ended is a process that was ended, or, among survivors, one that could not be.
type Ended struct {
	PID   int
	Name  string // its command line, shortened
	How   How
	Owner string // of the command that it came from
}

// Report is what an end found and did.
type Report struct {
	Ended     []Ended       // the command itself first
	Survivors []Ended       // alive when the time was over
	Proof     string        // what says that nothing is left: "cgroup_empty", "process_scan" or "job_object"
	Took      time.Duration // from the first signal to the proof
}

// Exit is a command that is over, with all that came from it.
type Exit struct {
	PID  int
	Code int // -1 when it was ended by a signal
	How  How
	Report
}
