package server

import "syscall"

// noUNIXSockets is WSAEAFNOSUPPORT, the error of a version of Windows without UNIX
// sockets, and of Wine 8.
const noUNIXSockets = syscall.Errno(10047)
