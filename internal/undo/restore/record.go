package restore

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// The files of an undo: see the package comment.
const (
	planFile   = "plan"
	stagedFile = "staged"
	doneFile   = "done"
	filesDir   = "files"
)

// report is the end of an undo as it is recorded on disk.
type report struct {
	Outcomes []Outcome
	// Trash has the states of the displaced files that need no report.
	Trash map[string]tree.State
}

// write records a value durably. Gob keeps paths that are not UTF-8; JSON does not.
func write(dir, name string, value any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return err
	}
	return durable.Replace(filepath.Join(dir, name), b.Bytes())
}

func read(dir, name string, value any) error {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(value); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// removeStrays deletes the temporary files of an interrupted write of a record.
func removeStrays(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// trashPath is the directory of staged and displaced files.
func trashPath(j job, dir string) string {
	if j.Inside {
		return filepath.Join(j.Root, tree.TrashName, filepath.Base(dir))
	}
	return filepath.Join(dir, filesDir)
}

// openTrash opens the directory of staged and displaced files, and creates it.
func openTrash(j job, dir string, root *folder) (*folder, error) {
	if !j.Inside {
		if err := os.Mkdir(filepath.Join(dir, filesDir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return openFolder(filepath.Join(dir, filesDir))
	}
	if err := root.Mkdir(tree.TrashName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	trash, err := root.sub(tree.TrashName)
	if err != nil {
		return nil, err
	}
	defer trash.closeDir()
	if err := trash.WriteFile(".gitignore", []byte("*\n"), 0o600); err != nil {
		return nil, err
	}
	name := filepath.Base(dir)
	if err := trash.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return trash.sub(name)
}

// removeTrash removes the directory of staged and displaced files if it is empty.
func removeTrash(j job, dir string, root *folder) {
	if !j.Inside {
		_ = os.Remove(filepath.Join(dir, filesDir))
		return
	}
	trash, err := root.sub(tree.TrashName)
	if err != nil {
		return
	}
	defer trash.closeDir()
	_ = trash.Remove(filepath.Base(dir))
	if names, err := root.list(tree.TrashName); err == nil && len(names) == 1 && names[0] == ".gitignore" {
		_ = trash.Remove(".gitignore")
		_ = root.Remove(tree.TrashName)
	}
}
