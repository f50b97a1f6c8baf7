package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// listen opens the TCP listener and the socket in the data directory. On a system
// without UNIX sockets it opens only the TCP listener.
func (s *Server) listen(ctx context.Context) error {
	var err error
	var config net.ListenConfig
	if s.tcp, err = config.Listen(ctx, "tcp", s.settings.Serve.Addr); err != nil {
		return err
	}
	s.socket, err = listenSocket(ctx, filepath.Join(s.settings.DataDir, "bellcord.sock"))
	if errors.Is(err, noUNIXSockets) {
		s.logger.Warn("this system has no UNIX sockets: the server listens on TCP only, and commands connect to it only with --server", "server", s.url(), "err", err)
		return nil
	}
	if err != nil {
		return errors.Join(err, s.tcp.Close())
	}
	return nil
}

// listenSocket opens a socket that only its owner can use at any time: it is
// created in a private directory and then moved into place. It replaces the
// socket of a dead server, and returns an error if a server answers.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	if conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close()
		return nil, fmt.Errorf("a server is already running on this data directory: %s answers", path)
	}
	private, err := os.MkdirTemp(filepath.Dir(path), "socket")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(private) }()
	made := filepath.Join(private, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the file is renamed below
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return socketAt{l, path}, nil
}

// socketAt removes its file when it is closed.
type socketAt struct {
	net.Listener
	path string
}

func (s socketAt) Close() error {
	return errors.Join(s.Listener.Close(), os.Remove(s.path))
}
