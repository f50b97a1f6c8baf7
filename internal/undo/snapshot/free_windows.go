package snapshot

import "golang.org/x/sys/windows"

// diskSpace returns the free and the total bytes of the disk with a path.
func diskSpace(path string) (free, total uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &total, nil)
	return free, total, err
}
