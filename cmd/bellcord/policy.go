package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/permit"
)

// openPolicy reads the rules of the configuration and those that a person
// allowed for good, which are kept in the data directory.
func openPolicy(c config.Config) (*permit.Policy, error) {
	path := filepath.Join(c.Data, "allowed.json")
	var always []string
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &always)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what is always allowed: %w", err)
	}
	return permit.NewPolicy(c.Permit.Allow, c.Permit.Deny, always, func(rules []string) error {
		text, err := json.MarshalIndent(rules, "", "  ")
		if err != nil {
			return err
		}
		next := path + ".next"
		if err := os.WriteFile(next, append(text, '\n'), 0o600); err != nil {
			return err
		}
		return os.Rename(next, path)
	})
}
