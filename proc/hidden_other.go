//go:build !linux

package proc

// HideMemory does nothing on this system: it does not keep processes of the
// same user from reading this process's memory.
func HideMemory() error { return nil }
