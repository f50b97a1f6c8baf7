package rights

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord/internal/front/chats"
)

// validate rejects settings that could confuse one person with another.
func (l *List) validate() error {
	if l.prefix == ":" {
		return errors.New("the list has no platform")
	}
	people := map[string]bool{}
	for id, name := range l.people {
		if err := l.checkEntry(id, name); err != nil {
			return err
		}
		people[l.named(name, id)] = true
	}
	for id, name := range l.groups {
		if err := l.checkEntry(id, name); err != nil {
			return err
		}
		if name = l.named(name, id); people[name] {
			return fmt.Errorf("%s names both a person and a group: give them different names, or they share their sessions", name)
		}
	}
	return nil
}

// checkEntry checks an ID of the settings and its name, which may be the one that
// is generated for this ID.
func (l *List) checkEntry(id chats.ID, name string) error {
	if !usable(id) {
		return fmt.Errorf("%q is not an ID", id)
	}
	if name == l.named("", id) {
		return nil
	}
	return l.checkName(name)
}

// usable reports whether id can identify one person or group. An ID that is empty,
// or that is not safe to print on the owner's terminal, never gets access.
func usable(id chats.ID) bool {
	const longest = 255 // bytes; IDs of Matrix are this long
	return id != "" && len(id) <= longest && !strings.ContainsFunc(string(id), func(r rune) bool {
		return !unicode.IsPrint(r) || r == ' ' || r == unicode.ReplacementChar
	})
}

// named returns a name, or the generated one if it is empty.
func (l *List) named(name string, id chats.ID) string {
	if name == "" {
		return l.prefix + string(id)
	}
	return name
}

// checkName rejects invalid names, and names reserved for generated ones: those of
// the platform and those of an OpenID Connect issuer.
func (l *List) checkName(name string) error {
	const longest, punctuation = 100, "._@-:+"
	if len(name) > longest {
		return fmt.Errorf("name %q: too long (at most %d characters)", name, longest)
	}
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune(punctuation, r) {
			return fmt.Errorf("name %q: use only letters, digits and %s", name, punctuation)
		}
	}
	for _, given := range []string{l.prefix, "oidc:"} {
		if strings.HasPrefix(name, given) {
			return fmt.Errorf("name %q: names that start with %q are reserved", name, given)
		}
	}
	return nil
}
