package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// openPolicy reads the rules in the settings, and from the data directory the
// calls that users have permanently allowed.
func openPolicy(c config.Config, logger *slog.Logger) (*permit.Policy, error) {
	path := filepath.Join(c.DataDir, "allowed.json")
	always, err := readAllowed(path)
	if errors.Is(err, errOldAllowed) {
		logger.Warn("permanently allowed calls are asked about again", "err", err)
	} else if err != nil {
		return nil, err
	}
	return permit.NewPolicy(c.Permissions.Allow, c.Permissions.Deny, always, func(all []permit.Granted) error {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		return durable.Replace(path, append(text, '\n'))
	})
}

// errOldAllowed is returned for a file of an earlier version. Its rules
// allowed more than users had approved.
var errOldAllowed = errors.New("the file has rules of an earlier version: delete it, and answer \"always\" again when you are asked")

// readAllowed returns the calls in the file, none if it does not exist.
func readAllowed(path string) ([]permit.Granted, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read permanently allowed calls: %w", err)
	}
	var rules []string
	if json.Unmarshal(text, &rules) == nil && len(rules) > 0 {
		return nil, fmt.Errorf("%s: %w", path, errOldAllowed)
	}
	var all []permit.Granted
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("read permanently allowed calls: %s: %w; correct or delete the file", path, err)
	}
	return all, nil
}

// privateFiles returns the files that tools must not touch: the data directory
// except its workspaces, and the configuration. They do not read the files for which a
// rule denies it, either.
func privateFiles(c config.Config, policy *permit.Policy) workspace.Private {
	p := workspace.Private{Workspaces: WorkspacesDir(c.DataDir), Denies: policy.Denies}
	for _, path := range []string{c.DataDir, config.Dir(), c.Loaded} {
		if path != "" {
			p.Paths = append(p.Paths, absolute(path))
		}
	}
	return p
}

// absolute returns an absolute path, or the path itself if that fails.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
