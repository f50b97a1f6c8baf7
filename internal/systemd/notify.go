// Package systemd tells the service manager how we are: that we are ready, that
// we stop, that we are alive. Where there is no service manager it does nothing.
package systemd

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// What a service tells its manager.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	alive    = "WATCHDOG=1"
)

// Notify tells the service manager a state. Without one (NOTIFY_SOCKET is not
// set) there is nobody to tell, which is no error.
func Notify(state string) error { return notify(os.Getenv("NOTIFY_SOCKET"), state) }

func notify(socket, state string) error {
	if socket == "" {
		return nil
	}
	if !strings.HasPrefix(socket, "/") && !strings.HasPrefix(socket, "@") { // @: abstract, in no file system
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
