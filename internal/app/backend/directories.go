package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errAddDirOnServer is returned for additional directories of a session on a
// server.
var errAddDirOnServer = errors.New("--add-dir: a session on a server has only the directory of --dir")

// AdditionalDirs returns the directories of --add-dir as a session needs them: as
// absolute paths of directories that exist. A relative path starts at the current
// directory. A session on a server cannot have any.
func AdditionalDirs(dirs []string, server bool) ([]string, error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	if server {
		return nil, errAddDirOnServer
	}
	return ExistingDirs("--add-dir", dirs)
}

// ExistingDirs returns the directories of a flag as absolute paths. It returns an
// error if one of them does not exist.
func ExistingDirs(flag string, dirs []string) ([]string, error) {
	all := make([]string, len(dirs))
	for i, dir := range dirs {
		err := errors.New("the path is empty")
		if dir != "" {
			err = isDirectory(dir)
		}
		if err == nil {
			all[i], err = filepath.Abs(dir)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return all, nil
}

// isDirectory returns an error unless the path is empty or names a directory.
func isDirectory(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("no such directory: %s", path)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", path)
	}
	return nil
}
