package rights

import (
	"fmt"
	"strconv"
	"strings"
)

// validate rejects settings that could confuse one person with another.
func (l *List) validate() error {
	people := map[string]bool{}
	for id, name := range l.people {
		if !person(id) {
			return fmt.Errorf("%d is not the ID of a Telegram user", id)
		}
		if err := checkName(name); err != nil && name != named("", id) {
			return err
		}
		people[named(name, id)] = true
	}
	for id, name := range l.groups {
		if id >= 0 {
			return fmt.Errorf("%d is not the ID of a Telegram group (those are negative)", id)
		}
		if err := checkName(name); err != nil && name != named("", id) {
			return err
		}
		if people[name] {
			return fmt.Errorf("%s names both a person and a group: give them different names, or they share their sessions", name)
		}
	}
	return nil
}

// person reports whether id can identify one person. Telegram has IDs that
// stand for many people; they never get access.
func person(id int64) bool {
	const (
		anonymousAdmin = 1087968824
		anyChannel     = 136817688
		telegramItself = 777000
	)
	return id > 0 && id != anonymousAdmin && id != anyChannel && id != telegramItself
}

const prefix = "telegram:"

func named(name string, id int64) string {
	if name == "" {
		return prefix + strconv.FormatInt(id, 10)
	}
	return name
}

// checkName rejects invalid names, and names reserved for generated ones:
// telegram:ID and those of an OpenID Connect issuer.
func checkName(name string) error {
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
	for _, given := range []string{prefix, "oidc:"} {
		if strings.HasPrefix(name, given) {
			return fmt.Errorf("name %q: names that start with %q are reserved", name, given)
		}
	}
	return nil
}
