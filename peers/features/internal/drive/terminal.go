package drive

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord/proc"
)

// terminal is a command in a terminal of the editor.
type terminal struct {
	kill context.CancelFunc
	done chan struct{} // closed when the command has exited; code is set before
	code int

	mu   sync.Mutex
	text []byte
}

// startTerminal runs a command. A command that cannot be started has the code 127, as in a shell.
func startTerminal(keeper *proc.Keeper, command proc.Command) *terminal {
	ctx, kill := context.WithCancel(context.Background())
	t := &terminal{kill: kill, done: make(chan struct{}), code: 127}
	command.Output = t.write
	go func() {
		defer close(t.done)
		if exit, err := keeper.Run(ctx, command, nil); err == nil {
			t.code = exit.Code
		}
	}()
	return t
}

func (t *terminal) write(more []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, more...)
}

// output returns the output so far, and the exit status after the command has exited.
func (t *terminal) output() object {
	t.mu.Lock()
	defer t.mu.Unlock()
	result := object{"output": string(t.text), "truncated": false}
	select {
	case <-t.done:
		result["exitStatus"] = t.exit()
	default:
	}
	return result
}

// exit waits for the command and returns its exit status.
func (t *terminal) exit() object {
	<-t.done
	return object{"exitCode": t.code, "signal": nil}
}

// end ends the command and waits for it.
func (t *terminal) end() {
	t.kill()
	<-t.done
}
