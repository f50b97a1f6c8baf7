package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// attempt is a call that is repeated, with changes that its answers suggest.
type attempt struct {
	tool  string
	args  object
	spare object // values of keys that an answer rejected
	meant string // the tool that the model would recognize in a list
}

// insist makes a call and repeats it until it succeeds, at most patience times.
// Each repetition changes only what the last answer names. It returns the
// result of the successful call.
func (p *player) insist(tool string, args object) string {
	return p.insistOn(attempt{tool: tool, args: args})
}

func (p *player) insistOn(a attempt) string {
	a.spare = object{}
	answer := p.use(a.tool, a.args)
	for range patience {
		if !failed(answer) {
			break
		}
		if !p.change(&a, answer) {
			p.giveUp(answer)
		}
		answer = p.use(a.tool, a.args)
	}
	if failed(answer) {
		p.giveUp(answer)
	}
	if len(answer) > window {
		p.giveUp("a result of " + strconv.Itoa(len(answer)) + " bytes")
	}
	return answer
}

// change applies one suggestion of an answer. It reports whether there is one.
func (p *player) change(a *attempt, answer string) bool {
	return p.changeTool(a, answer) || changeType(a, answer) || changeKeys(a, answer) || addKey(a, answer) || changePath(a, answer)
}

func (p *player) changeTool(a *attempt, answer string) bool {
	answer = strings.ReplaceAll(answer, a.tool, "") // repeating the name suggests nothing
	if a.meant == "" || a.tool == a.meant || !slices.Contains(p.tools, a.meant) || !named(answer, a.meant) {
		return false
	}
	a.tool = a.meant
	return true
}

// changeType converts a value to the type that the answer names.
func changeType(a *attempt, answer string) bool {
	for _, m := range wantedType.FindAllStringSubmatch(answer, -1) {
		value, has := a.args[m[1]]
		if !has {
			continue
		}
		switch kind := strings.ToLower(m[2]); {
		case kind == "string" || kind == "text":
			if words, list := value.([]string); list {
				a.args[m[1]] = words[len(words)-1] // bash -lc COMMAND
				return true
			}
			if _, is := value.(string); !is {
				a.args[m[1]] = marshal(value)
				return true
			}
		case strings.HasPrefix(kind, "bool"):
			if value == "true" {
				a.args[m[1]] = true
				return true
			}
		default:
			if n, err := strconv.Atoi(strings.TrimSuffix(asText(value), ".0")); err == nil {
				a.args[m[1]] = n
				return true
			}
		}
	}
	return false
}

func asText(value any) string {
	if text, is := value.(string); is {
		return text
	}
	return marshal(value)
}

// changeKeys renames a key that the answer rejects, or removes it.
func changeKeys(a *attempt, answer string) bool {
	if !unknownName.MatchString(answer) {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(a.args)) {
		if !slices.Contains(names(answer), key) || keyAccepted(key, answer) {
			continue
		}
		value := a.args[key]
		delete(a.args, key)
		if right := keyFor(key, answer, a.args); right != "" {
			a.args[right] = value
		} else {
			a.spare[key] = value
		}
		return true
	}
	return false
}

// keyAccepted reports whether an answer names a key only in its list of
// accepted keys.
func keyAccepted(key, answer string) bool {
	for _, m := range quoted.FindAllStringSubmatchIndex(answer, -1) {
		if answer[m[2]:m[3]] == key {
			return m[0] > 0 && !unknownName.MatchString(answer[:m[0]])
		}
	}
	return true
}

// addKey adds a key that the answer reports as missing, with a value whose key
// was rejected.
func addKey(a *attempt, answer string) bool {
	for _, m := range missingKey.FindAllStringSubmatch(answer, -1) {
		name := m[1] + m[2] + m[3]
		if _, has := a.args[name]; has {
			continue
		}
		for _, wrong := range slices.Sorted(maps.Keys(a.spare)) {
			if strings.Contains(wrong, name) || len(a.spare) == 1 {
				a.args[name] = a.spare[wrong]
				delete(a.spare, wrong)
				return true
			}
		}
	}
	return false
}

func changePath(a *attempt, answer string) bool {
	for key, value := range a.args {
		wrong, text := value.(string)
		if !text || !strings.Contains(key, "path") {
			continue
		}
		if right := otherPath(wrong, answer); right != "" && right != wrong {
			a.args[key] = right
			return true
		}
	}
	return false
}

// edit is an edit of a file in the parameters' own names.
func edit(path, before, after string) object {
	return object{"path": path, "old": before, "new": after}
}
