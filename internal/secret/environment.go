package secret

import (
	"os"
	"slices"
	"strings"
)

// Environment decides which variables of Bellcord's environment a program gets.
// The zero value withholds every variable with the name or the value of a
// secret.
type Environment struct {
	// Pass lists variables that the program gets although they match a secret:
	// NAME, or PREFIX* for all names with that prefix. Bellcord's own
	// credentials are never passed.
	Pass []string
	// Secrets, if not nil, contains the configured secrets: a variable is
	// withheld, whatever its name, if its value is one of them or contains a
	// long one.
	Secrets *Set
}

// Pairs returns the NAME=value pairs that the program gets.
func (e Environment) Pairs() []string {
	given, _ := e.divide(os.Environ())
	return given
}

// Withheld returns the sorted names of the variables that the program does not
// get.
func (e Environment) Withheld() []string {
	_, withheld := e.divide(os.Environ())
	return withheld
}

// Passed returns the pairs that Pass lists.
func (e Environment) Passed() []string {
	return slices.DeleteFunc(e.Pairs(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !e.passes(name)
	})
}

func (e Environment) divide(environ []string) (given, withheld []string) {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if e.withholds(name, value) {
			withheld = append(withheld, name)
		} else {
			given = append(given, pair)
		}
	}
	slices.Sort(withheld)
	return given, slices.Compact(withheld)
}

func (e Environment) withholds(name, value string) bool {
	if slices.Contains(own, name) {
		return true
	}
	return !e.passes(name) && (Named(name) || withPassword(name, value) || e.Secrets.in(value))
}

func (e Environment) passes(name string) bool {
	return slices.ContainsFunc(e.Pass, func(pass string) bool {
		beginning, open := strings.CutSuffix(pass, "*")
		return name == pass || open && strings.HasPrefix(name, beginning)
	})
}
