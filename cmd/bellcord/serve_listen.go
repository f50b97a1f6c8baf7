package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// listen opens the doors: the address, and the socket in the data directory.
func (s *service) listen(ctx context.Context) error {
	var err error
	var config net.ListenConfig
	if s.tcp, err = config.Listen(ctx, "tcp", s.config.Serve.Addr); err != nil {
		return err
	}
	if s.socket, err = listenSocket(ctx, filepath.Join(s.config.Data, "bellcord.sock")); err != nil {
		return errors.Join(err, s.tcp.Close())
	}
	return nil
}

// listenSocket opens a socket that its owner alone may use, at no moment anybody
// else: it is made in a directory of its own and then moved into place. What a
// dead server left there is replaced; a live one's is not.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	if conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close()
		return nil, fmt.Errorf("a server runs on this data directory: %s answers", path)
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
	l.SetUnlinkOnClose(false) // its name changes
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return socketAt{l, path}, nil
}

// socketAt goes from its place when it closes.
type socketAt struct {
	net.Listener
	path string
}

func (s socketAt) Close() error {
	return errors.Join(s.Listener.Close(), os.Remove(s.path))
}
