package config

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
)

// secretSetting matches a line that contains a secret, not the name of a file
// with one.
var secretSetting = regexp.MustCompile(`(?im)^\s*["']?(?:api_key|token|webhook_secret|secret|password|authorization)["']?\s*=\s*["'][^"']`)

// Exposed returns an error if the file contains secrets and other users can
// read it.
func Exposed(file string) error {
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o044 == 0 {
		return nil //nolint:nilerr // a file that is missing exposes nothing
	}
	text, err := os.ReadFile(file)
	if err != nil || !secretSetting.Match(text) {
		return nil //nolint:nilerr // nor does one that cannot be read
	}
	return fmt.Errorf("%s contains secrets and is readable by other users (%v): chmod 600 %s", file, info.Mode().Perm(), file)
}
