package config

import (
	"fmt"
	"path/filepath"
)

// LanguageServer configures a language server, which checks files after the built-in
// agent has changed them.
type LanguageServer struct {
	Command []string          `toml:"command"`  // program and arguments of the server, which speaks the Language Server Protocol on its standard input and output (required)
	Files   []string          `toml:"files"`    // patterns of the names of the files that it checks, such as "*.go" (required)
	Env     map[string]string `toml:"env"`      // environment variables to set for the server
	PassEnv []string          `toml:"pass_env"` // variables to pass to the server although they look like secrets
}

// checkLanguageServers returns an error for invalid settings of language servers.
func (c Config) checkLanguageServers() error {
	for name, s := range c.LanguageServers {
		if len(s.Command) == 0 || s.Command[0] == "" {
			return fmt.Errorf("language_servers.%s: set command, such as [\"gopls\"]", name)
		}
		if len(s.Files) == 0 {
			return fmt.Errorf("language_servers.%s: set files, such as [\"*.go\"]", name)
		}
		for _, pattern := range s.Files {
			if _, err := filepath.Match(pattern, ""); err != nil {
				return fmt.Errorf("language_servers.%s.files: %q is not a valid pattern", name, pattern)
			}
		}
	}
	return nil
}
