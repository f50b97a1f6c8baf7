package proc

import "syscall"

// CheckPeer returns nil: processes at the other end of a local socket are not
// identified on Windows.
func CheckPeer(syscall.Conn, string) error { return nil }

// OfATurn returns nil: the processes of a turn are not told apart on Windows.
func OfATurn(int, string) error { return nil }
