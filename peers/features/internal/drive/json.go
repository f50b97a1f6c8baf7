package drive

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object. The messages of real agents have members that no schema lists, so they
// are read as plain JSON.
type object = map[string]any

// at returns the value at a path of members, or nil. "*" stands for the first element of a list.
func at(v any, path ...string) any {
	for _, name := range path {
		switch in := v.(type) {
		case object:
			v = in[name]
		case []any:
			if name != "*" || len(in) == 0 {
				return nil
			}
			v = in[0]
		default:
			return nil
		}
	}
	return v
}

// textAt returns the string at a path, or "".
func textAt(v any, path ...string) string {
	text, _ := at(v, path...).(string)
	return text
}

// listAt returns the list at a path, or nil.
func listAt(v any, path ...string) []any {
	list, _ := at(v, path...).([]any)
	return list
}

// textsAt returns a member of every object in a list.
func textsAt(list []any, member string) []string {
	var texts []string
	for _, each := range list {
		if text := textAt(each, member); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// isSet reports whether a capability is offered: as true, or as an object.
func isSet(v any) bool { return v != nil && v != false }

// hasText reports whether a string in v contains the text.
func hasText(v any, text string) bool {
	switch in := v.(type) {
	case string:
		return strings.Contains(in, text)
	case []any:
		return slices.ContainsFunc(in, func(each any) bool { return hasText(each, text) })
	case object:
		for _, each := range in {
			if hasText(each, text) {
				return true
			}
		}
	}
	return false
}

// metaMembers returns the names of the members of every _meta in v, each with the path that leads
// to it.
func metaMembers(v any, path string) []string {
	var names []string
	switch in := v.(type) {
	case []any:
		for _, each := range in {
			names = append(names, metaMembers(each, path)...)
		}
	case object:
		for name, each := range in {
			if name != "_meta" {
				names = append(names, metaMembers(each, path+"."+name)...)
				continue
			}
			if members, is := each.(object); is {
				for member := range maps.Keys(members) {
					names = append(names, path+"._meta."+member)
				}
			}
		}
	}
	return unique(names)
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func encode(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // all values are literals of this package or decoded JSON
	}
	return line
}
