package proc

import "golang.org/x/sys/windows"

// freeSpace returns the space that this user may still use on the volume that
// contains dir, and the volume's size, in bytes.
func freeSpace(dir string) (free, size uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &size, nil)
	return free, size, err
}
