// Package secret holds the two rules about secrets: which variables of the
// environment look like secrets, so that the programs that Bellcord starts do
// not get them, and how the secrets that Bellcord is configured with are
// replaced in text that people and logs get.
package secret

import (
	"net/url"
	"slices"
	"strings"
)

// own are the variables with Bellcord's own credentials. No setting passes them
// to a program.
var own = []string{"BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TOKEN", "BELLCORD_TELEGRAM_TOKEN"}

// anywhere are parts of a name that make its variable a secret.
var anywhere = []string{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL", "APIKEY", "CONNECTION_STRING"}

// words make a variable a secret as one of the words of its name, which are
// separated by underscores. TOKENS is not one: MAX_TOKENS is a number.
var words = []string{"KEY", "TOKEN", "PASS", "PWD", "PAT", "DSN", "WEBHOOK"}

// ends make a variable a secret as the end of its name.
var ends = []string{"TOKEN", "_AUTH", "DATABASE_URL", "REDIS_URL", "MONGODB_URI"}

// others are secrets that no rule above covers.
var others = []string{"DOCKER_AUTH_CONFIG", "SSHPASS", "GIT_ASKPASS_RESPONSE"}

// Named reports whether a variable of this name looks like a secret.
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

// withPassword reports whether a variable's value is a URL with a password. The
// address of a proxy is not counted: a program behind one reaches nothing
// without it.
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

// CheckPass returns an error if a setting passes what is never passed.
func CheckPass(pass []string) error {
	for _, name := range pass {
		if slices.Contains(own, name) {
			return &PassError{name}
		}
	}
	return nil
}

// PassError means that a setting names one of Bellcord's own credentials.
type PassError struct{ Name string }

func (e *PassError) Error() string {
	return "pass: " + e.Name + " is one of Bellcord's own credentials and is never passed; remove it from the list"
}
