//go:build unix

package server

import "syscall"

// noUNIXSockets is the error of a system or sandbox without UNIX sockets.
const noUNIXSockets = syscall.EAFNOSUPPORT
