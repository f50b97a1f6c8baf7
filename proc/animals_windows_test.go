package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/bellcord/bellcord/proc"
)

// TestMain runs this binary as an animal of the zoo if its first argument is
// "animal": a Windows program that behaves badly.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "animal" {
		behave(os.Args[2], os.Args[3])
		return
	}
	os.Exit(m.Run())
}

// behave acts as the animal. The token is in the command line of every process
// that the animal starts.
func behave(kind, token string) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	switch kind {
	case "sleeper":
		fmt.Println("ready")
		wait(time.Hour)
	case "leaves":
		_ = breed(windows.DETACHED_PROCESS|windows.CREATE_NEW_PROCESS_GROUP, "sleeper", token)
	case "detaches":
		_ = breed(windows.DETACHED_PROCESS|windows.CREATE_NEW_PROCESS_GROUP, "sleeper", token)
		wait(time.Hour)
	case "grandparent":
		_ = breed(windows.DETACHED_PROCESS, "leaves", token)
		wait(time.Hour)
	case "suspends":
		_ = breed(windows.CREATE_SUSPENDED, "sleeper", token)
		fmt.Println("ready")
		wait(time.Hour)
	case "breaks_away":
		if breed(windows.CREATE_BREAKAWAY_FROM_JOB, "sleeper", token) != nil {
			_ = breed(0, "sleeper", token) // the job does not allow it
		}
		wait(time.Hour)
	case "nests":
		job, err := windows.CreateJobObject(nil, nil)
		if err == nil {
			_ = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
		}
		_ = breed(0, "sleeper", token)
		wait(time.Hour)
	case "relay": // each process starts the next one and exits
		wait(20 * time.Millisecond)
		_ = breed(windows.DETACHED_PROCESS, "relay", token)
	case "keeps": // a keeper with one command
		k, err := proc.Open("", proc.Options{})
		if err == nil {
			_, err = k.Start(proc.Command{Args: shell("SELF animal sleeper TOKEN", token)})
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		wait(time.Hour)
	case "litter":
		for range 4 {
			_ = breed(0, "sleeper", token)
		}
		wait(time.Hour)
	}
}

func wait(d time.Duration) { <-time.After(d) }

// breed starts another animal with the output of this one.
func breed(flags uint32, kind, token string) error {
	cmd := exec.Command(os.Args[0], "animal", kind, token)
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
	return cmd.Start()
}
