package autostart

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Environment reads a file of keys in the format of systemd, for managers that
// do not: lines of NAME=value, with or without quotes. A file that other users
// can read is an error, because it contains secrets.
func Environment(path string) (map[string]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read environment file: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read environment file: %s has keys and is open to other users: chmod 600 %s", path, shown([]string{path}))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read environment file: %w", err)
	}
	all, number := map[string]string{}, 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, is := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !is || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("read environment file: %s: line %d is not NAME=value", path, number) // without the line, which may contain a key
		}
		all[name] = unquoted(strings.TrimSpace(value))
	}
	return all, nil
}

func unquoted(value string) string {
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}
