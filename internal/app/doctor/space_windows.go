package doctor

import (
	"syscall"
	"unsafe"
)

// freeSpace returns the free bytes on the file system of a directory.
func freeSpace(dir string) (uint64, error) {
	name, err := syscall.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	done, _, err := syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW").
		Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&free)), 0, 0)
	if done == 0 {
		return 0, err
	}
	return free, nil
}
