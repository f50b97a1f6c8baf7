package restore

import "golang.org/x/sys/unix"

// exchange exchanges two names atomically.
func exchange(a *folder, name string, b *folder, other string) error {
	return unix.Renameat2(int(a.fd.Fd()), name, int(b.fd.Fd()), other, unix.RENAME_EXCHANGE)
}

// move renames a name, and fails if the new one exists.
func move(from *folder, name string, to *folder, other string) error {
	return unix.Renameat2(int(from.fd.Fd()), name, int(to.fd.Fd()), other, unix.RENAME_NOREPLACE)
}
