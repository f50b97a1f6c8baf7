// Package secret implements the two rules about secrets: which environment
// variables are withheld from the programs that Bellcord starts, and how
// configured secrets are replaced in text for people and logs.
package secret

import (
	"net/url"
	"slices"
	"strings"
)

// own lists the variables with Bellcord's own credentials. No setting passes
// them to a program.
var own = []string{"BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TOKEN", "BELLCORD_TELEGRAM_TOKEN"}

// anywhere lists the substrings that mark a variable name as a secret.
var anywhere = []string{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL", "APIKEY", "CONNECTION_STRING"}

// words lists the words that mark a name as a secret. Words are separated by
// underscores. TOKENS is not listed: MAX_TOKENS is a number.
var words = []string{"KEY", "TOKEN", "PASS", "PWD", "PAT", "DSN", "WEBHOOK"}

// ends lists the suffixes that mark a name as a secret.
var ends = []string{"TOKEN", "_AUTH", "DATABASE_URL", "REDIS_URL", "MONGODB_URI"}

// others lists secrets that match no rule above.
var others = []string{"DOCKER_AUTH_CONFIG", "SSHPASS", "GIT_ASKPASS_RESPONSE"}

// Named reports whether the name of a variable marks it as a secret.
func Named(name string) bool {
	name = strings.ToUpper(name)
	if name == "PWD" || name == "OLDPWD" {
		return false // directories
	}
	if slices.Contains(own, name) || slices.Contains(others, name) {
		return true
	}
	if strings.HasPrefix(name, "OTEL_") && strings.HasSuffix(name, "_HEADERS") {
		return true
	}
	return slices.ContainsFunc(anywhere, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) }) ||
		slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return slices.Contains(words, word) })
}

// withPassword reports whether a variable's value is a URL with a password.
// Proxy variables are excluded: behind a proxy, a program has no network access
// without them.
func withPassword(name, value string) bool {
	if strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
		return false
	}
	at, err := url.Parse(value)
	if err != nil || at.User == nil {
		return false
	}
	_, set := at.User.Password()
	return set
}

// CheckPass returns a *PassError if the list names one of Bellcord's own
// credentials.
func CheckPass(pass []string) error {
	for _, name := range pass {
		if slices.Contains(own, name) {
			return &PassError{name}
		}
	}
	return nil
}

// PassError means that a setting passes one of Bellcord's own credentials.
type PassError struct{ Name string }

// Error implements error.
func (e *PassError) Error() string {
	return "pass: " + e.Name + " is one of Bellcord's own credentials and is never passed; remove it from the list"
}
