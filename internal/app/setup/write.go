package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/config"
)

// Written describes a new configuration file.
type Written struct {
	Path   string
	Backup string // the path of the old file, or "" if it did not exist
	Model  string
	Agent  string // the agent that is hosted, "" for Bellcord's own
	Reason string // why this model was chosen
}

// Write writes a configuration file for the results of Search. An existing
// file is an error unless force is set; then it is kept as a backup.
func Write(ctx context.Context, file string, force bool) (Written, error) {
	if err := Replaceable(file, force); err != nil {
		return Written{}, err
	}
	return WriteChoice(file, Choices(ctx, Search(ctx, file, config.Config{}))[0], force)
}

// Replaceable returns an error if the file exists and force is not set.
func Replaceable(file string, force bool) error {
	if path, _ := config.File(file); config.IsFile(path) && !force {
		return existsError(path)
	}
	return nil
}

// WriteChoice writes a configuration file for a choice, as Write does.
func WriteChoice(file string, chosen Choice, force bool) (Written, error) {
	path, _ := config.File(file)
	return write(path, chosen, force)
}

func write(path string, chosen Choice, force bool) (Written, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Written{}, fmt.Errorf("write configuration: %w", err)
	}
	backup := ""
	if force && config.IsFile(path) {
		backup = path + ".old"
		if err := os.Rename(path, backup); err != nil {
			return Written{}, fmt.Errorf("back up the old configuration: %w", err)
		}
	}
	// Another process may have created the file in the meantime; it is not
	// overwritten.
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Written{}, existsError(path)
	} else if err != nil {
		return Written{}, fmt.Errorf("write configuration: %w", err)
	}
	_, err = out.WriteString(chosen.file())
	if err := errors.Join(err, out.Close()); err != nil {
		return Written{}, fmt.Errorf("write configuration: %w", err)
	}
	return Written{Path: path, Backup: backup, Model: chosen.Model, Agent: chosen.Agent, Reason: chosen.Reason}, nil
}

func existsError(path string) error {
	return fmt.Errorf("%s already exists and was not changed (--force replaces it and keeps a backup)", path)
}
