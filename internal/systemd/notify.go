// Package systemd notifies the service manager that the process is ready,
// stopping or alive. Without a service manager it does nothing.
package systemd

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// States for Notify.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	alive    = "WATCHDOG=1"
)

// Notify sends a state to the service manager. Without one (NOTIFY_SOCKET is
// not set) it does nothing and returns nil.
func Notify(state string) error { return notify(os.Getenv("NOTIFY_SOCKET"), state) }

func notify(socket, state string) error {
	if socket == "" {
		return nil
	}
	if !strings.HasPrefix(socket, "/") && !strings.HasPrefix(socket, "@") { // @: an abstract socket, without a file
		return fmt.Errorf("NOTIFY_SOCKET: unsupported address %q", socket)
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	_, err = conn.Write([]byte(state))
	if closeErr := conn.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	return nil
}
