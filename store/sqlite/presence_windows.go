package sqlite

import (
	"errors"
	"os"
)

// stat returns a file's information with its identity. It opens the file,
// because os.Stat reads the identity only when two files are compared, with a
// handle that shares nothing. Such a handle can be refused for a file that
// SQLite has mapped.
func stat(path string) (os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	return info, errors.Join(err, f.Close())
}
