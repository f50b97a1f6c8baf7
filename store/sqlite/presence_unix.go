//go:build unix

package sqlite

import "os"

// stat returns a file's information with its identity. It does not open the
// file: closing it would release SQLite's locks of this process.
func stat(path string) (os.FileInfo, error) { return os.Stat(path) }
