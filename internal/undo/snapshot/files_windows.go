package snapshot

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// identity returns a name for the root by its volume and file index.
func (f *files) identity() (string, error) {
	d, err := f.root.Open(".")
	if err != nil {
		return "", err
	}
	defer func() { _ = d.Close() }()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(d.Fd()), &info); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x-%x%08x", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow), nil
}

// changeTime returns zeros: a directory listing of Windows has neither. Changes
// are recognised by size and time of the last write.
func changeTime(fs.FileInfo) (ctime int64, inode uint64) { return 0, 0 }
