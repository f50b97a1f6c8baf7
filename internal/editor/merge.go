package editor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/durable"
)

// ErrByHand means that an editor's settings are not a file that Write can
// change.
var ErrByHand = errors.New("its settings are not changed by Bellcord")

// Written is the result of Write.
type Written struct {
	Path    string
	Backup  string // "" if the file did not exist
	Changed bool
}

// Write adds an entry for the agent to the editor's settings file. It keeps
// every other byte, including comments, and keeps the old file as a backup. A
// second call changes nothing.
func (e Editor) Write(home Home, command []string) (Written, error) {
	if e.settings == nil {
		return Written{}, fmt.Errorf("%s: %w", e.Title, ErrByHand)
	}
	path := e.settings(home)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // settings are often a link into a repository
	}
	done := Written{Path: path}
	before, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return done, fmt.Errorf("read settings: %w", err)
	}
	after, err := merge(string(before), e.entry(command))
	if err != nil {
		return done, fmt.Errorf("%s was not changed: %w", path, err)
	}
	if after == string(before) {
		return done, nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if !missing {
		done.Backup = path + ".before-bellcord"
		if err := durable.ReplaceMode(done.Backup, before, mode); err != nil {
			return done, fmt.Errorf("back up the old settings: %w", err)
		}
	}
	done.Changed = true
	return done, replace(path, after, mode)
}

// replace writes a file durably and creates its directory.
func replace(path, text string, mode fs.FileMode) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = durable.ReplaceMode(path, []byte(text), mode)
	}
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// merge returns the text with the entry added or replaced.
func merge(text string, entry any) (string, error) {
	if strings.TrimSpace(text) == "" {
		return inJSON(map[string]any{servers: map[string]any{agentName: entry}}) + "\n", nil
	}
	r := reader{text: text}
	top, err := r.object()
	if err != nil {
		return "", fmt.Errorf("cannot parse the settings: %w", err)
	}
	all, ok := top.find(servers)
	if !ok {
		return insert(text, top, servers, map[string]any{agentName: entry}, "  "), nil
	}
	r.at = all.start
	known, err := r.object()
	if err != nil {
		return "", fmt.Errorf("%s is not an object: %w", servers, err)
	}
	own, ok := known.find(agentName)
	if !ok {
		return insert(text, known, agentName, entry, "    "), nil
	}
	if same(text[own.start:own.end], entry) {
		return text, nil
	}
	return text[:own.start] + indented(entry, "    ") + text[own.end:], nil
}

// insert adds an entry before all others, where no comma has to be found
// between comments.
func insert(text string, into object, key string, value any, indent string) string {
	added := "\n" + indent + quoted(key) + ": " + indented(value, indent)
	if len(into.members) > 0 {
		added += ","
	} else {
		added += "\n" + indent[2:]
	}
	return text[:into.inside] + added + text[into.inside:]
}

func indented(v any, indent string) string {
	return strings.ReplaceAll(inJSON(v), "\n", "\n"+indent)
}

// same reports whether a value in the text equals v. A value with comments
// does not.
func same(text string, v any) bool {
	var is any
	if json.Unmarshal([]byte(text), &is) != nil {
		return false
	}
	a, _ := json.Marshal(is)
	b, _ := json.Marshal(v)
	return string(a) == string(b)
}
