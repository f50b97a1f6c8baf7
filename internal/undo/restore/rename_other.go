//go:build !linux && !darwin

package restore

import (
	"io/fs"
	"os"
)

func exchange(*folder, string, *folder, string) error { return ErrUnsupported }

func move(*folder, string, *folder, string) error { return ErrUnsupported }

// identity is the place of a file on disk. It is empty on this system, where no
// undo runs.
type identity struct{ inode, device, links uint64 }

func identityOf(fs.FileInfo) identity { return identity{} }

func sameMount(*folder, *folder) bool { return false }

func isUnsupported(error) bool { return true }

func isOtherMount(error) bool { return false }

func copyOwner(*os.File, fs.FileInfo) {}

func copyAttributes(_, _ *os.File) {}

func removeEmpty(*folder, string) error { return ErrUnsupported }

func mayWrite(*folder) error { return nil }
