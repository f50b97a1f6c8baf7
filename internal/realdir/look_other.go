//go:build !linux

package realdir

import "io/fs"

// look returns the directory at a path without symbolic links.
func look(path string) (fs.FileInfo, error) { return walk(path) }
