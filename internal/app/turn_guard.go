package app

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/bellcord/bellcord/proc"
)

// ledgerDir returns the directory in which the processes on a data directory
// record the commands that they start.
func ledgerDir(data string) string { return filepath.Join(data, "processes") }

// CheckPeer returns an error unless it can prove that no turn started the process at
// the other end of a local connection.
func CheckPeer(conn net.Conn, data string) error {
	local, ok := conn.(syscall.Conn)
	if !ok {
		return fmt.Errorf("%w: a %T", proc.ErrNoPeer, conn)
	}
	return proc.CheckPeer(local, ledgerDir(data))
}

// RefuseInsideTurn returns an error if a turn on the data directory started
// this process: an agent's command must not answer the agent's questions or
// create tokens. It does not prevent a command from editing the store; see
// docs/security.md.
func RefuseInsideTurn(data string) error {
	var turn *proc.TurnError
	if err := proc.OfATurn(os.Getpid(), ledgerDir(data)); errors.As(err, &turn) {
		return fmt.Errorf("an agent may not use this command: %w on this data directory; use a terminal that no agent started", turn)
	}
	return nil
}
