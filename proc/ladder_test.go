package proc

import "testing"

// A shell starts its command after SIGTERM. The command is found between fork and exec:
// it still runs the program of the shell, whose handler of the signal it loses.
func TestLate_ProcessReceivesTheSignalBeforeItsExec_GetsItAgainAfterIt(t *testing.T) {
	t.Parallel()
	shell := process{ident: ident{10, 1}, parent: 1, helper: true, name: "shell"}
	forked := process{ident: ident{11, 2}, parent: 10, name: "shell"}
	command := forked
	command.name = "command"

	l := newRoll()
	l.addAlive([]process{shell}, Terminated)
	for round, want := range []struct {
		found process
		late  bool
	}{{forked, true}, {forked, false}, {command, true}, {command, false}} {
		late := l.late([]process{shell, want.found})
		if is := len(late) == 1 && late[0] == want.found; is != want.late {
			t.Errorf("round %d: %+v get the signal", round, late)
		}
	}
	if name := l.ended[command.ident].Name; name != "command" {
		t.Errorf("it is called %q", name)
	}
}
