// Package proc starts a process for a tool call, ends it together with all of
// its descendants, and proves that they are gone.
//
// Descendants are all processes that a command starts, directly or indirectly,
// including those that use setsid, nohup, a double fork or a cleared
// environment. Each command is contained by every means that the system offers.
// Linux: a separate cgroup where one can be created, a new session, a marker in
// the environment, a stamp that survives exec, and, with AdoptOrphans, this
// process as the subreaper. macOS: the session and the marker. Windows: a job
// object. If a command creates a PID namespace, the end of the namespace's first
// process proves the end of all processes in it. The session has no controlling
// terminal, so a command cannot type on this process's terminal.
//
// All processes are ended by the same steps, called the ladder: send SIGTERM to
// each process, wait for the grace period, kill the rest, and scan until no
// process is left. The ladder also ends the processes that a command leaves
// behind when it exits. Its time is limited; processes that are still alive at
// the end are reported as survivors.
//
// Limits bounds the memory, processes and CPU time of a command, and ends the
// command when a file system is almost full.
package proc

import (
	"errors"
	"io"
	"os"
	"time"
)

// ErrClosed is returned by Start and Run after Close.
var ErrClosed = errors.New("the process keeper is closed")

// Command describes a process to start.
type Command struct {
	Args   []string
	Dir    string
	Env    []string     // added to this process's environment; the whole environment if Bare
	Bare   bool         // do not pass on this process's environment
	Stdin  io.Reader    // for Run; nil means an empty input
	Output func([]byte) // receives the output, from one goroutine; must not block forever
	Owner  string       // what the command runs for: the turn
	Name   string       // display name; "" means the command line
	Files  []*os.File   // passed on as descriptors 3, 4, …; not on Windows; the caller closes them
	Limits Limits       // what the command and its descendants may use
	Helper bool         // Args start a helper of a sandbox, which starts the command in a PID namespace
	Status *os.File     // of the helper, or nil: a pipe that gets the command's exit code, one byte, if it exits before the helper; closed at the end
}

// How is the way in which a process ended.
type How string

// The ways to end: by itself, after SIGTERM, or by SIGKILL. On Windows, by the
// console event and by the end of the job object.
const (
	Exited     How = "exited"
	Terminated How = "terminated"
	Killed     How = "killed"
)

// Ended describes a process that was ended or, in Report.Survivors, one that
// could not be ended.
type Ended struct {
	PID   int
	Name  string // command line, shortened
	How   How
	Owner string // Owner of the command that started it
}

// Report lists the processes that were found and how they ended.
type Report struct {
	Ended     []Ended       // the command itself comes first; without the helpers of a sandbox
	Survivors []Ended       // still alive when the time limit expired
	Proof     string        // how it was verified that none is left: "pid_namespace", "cgroup_empty", "process_scan" or "job_object"
	Took      time.Duration // from the first signal to the proof
	Limit     string        // the limit that was reached or ended the command: "memory", "processes", "disk" or ""
	LimitsBy  string        // the means that enforced the limits: "cgroup2", "cgroup1", "rlimit" or "" (see Limits)

	command int // the process that a helper started; 0 if there is none
}

// Exit is the result of a command. The command and its descendants have ended,
// except for the Survivors of the Report.
type Exit struct {
	PID  int
	Code int // -1 if a signal ended it
	How  How
	Report
}
