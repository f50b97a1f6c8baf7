//go:build unix

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// yamlMap is a YAML mapping.
type yamlMap = map[string]any

// yamlReader reads the subset of YAML that the files in deploy use, and rejects the rest: block
// mappings and lists, lists of words in brackets, literal blocks, anchors and merges. All scalars
// are strings.
type yamlReader struct {
	lines   []string
	at      int
	anchors yamlMap
}

// readYAML returns the documents of a text.
func readYAML(text string) (all []yamlMap, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("%v", wrong)
		}
	}()
	if strings.Contains(text, "\t") {
		return nil, errors.New("a tab")
	}
	for _, part := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
		r := yamlReader{lines: strings.Split(part, "\n"), anchors: yamlMap{}}
		indent, more := r.next()
		if !more || indent != 0 {
			return nil, errors.New("a document that does not begin at the margin")
		}
		all = append(all, r.mapping(0))
		if _, more := r.next(); more {
			r.refuse("this is indented like nothing above it")
		}
	}
	return all, nil
}

func (r *yamlReader) refuse(why string) {
	panic(fmt.Sprintf("%s: line %d of its document: %s", why, r.at+1, r.lines[r.at]))
}

// next moves to the next line that is neither empty nor a comment, and returns its indent.
func (r *yamlReader) next() (indent int, more bool) {
	for ; r.at < len(r.lines); r.at++ {
		text := strings.TrimLeft(r.lines[r.at], " ")
		if text != "" && text[0] != '#' {
			return len(r.lines[r.at]) - len(text), true
		}
	}
	return 0, false
}

func (r *yamlReader) block(above int) any {
	indent, more := r.next()
	switch {
	case !more || indent <= above:
		return nil
	case strings.HasPrefix(r.lines[r.at][indent:], "- "):
		return r.list(indent)
	}
	return r.mapping(indent)
}

var keyed = regexp.MustCompile(`^([A-Za-z0-9_./<-]+):(?: +(.*))?$`)

func (r *yamlReader) mapping(indent int) yamlMap {
	made, merged := yamlMap{}, yamlMap{}
	for {
		at, more := r.next()
		if !more || at < indent {
			break
		}
		found := keyed.FindStringSubmatch(r.lines[r.at][indent:])
		if at > indent || found == nil {
			r.refuse("not a key and its value")
		}
		key := found[1]
		if _, twice := made[key]; twice {
			r.refuse("a key that was there")
		}
		value := r.value(found[2], indent)
		if key != "<<" {
			made[key] = value
			continue
		}
		from, is := value.(yamlMap)
		if !is {
			r.refuse("a merge of what is no mapping")
		}
		merged = from
	}
	for key, value := range merged {
		if _, own := made[key]; !own {
			made[key] = value
		}
	}
	return made
}

func (r *yamlReader) list(indent int) (all []any) {
	for {
		at, more := r.next()
		if !more || at < indent {
			return all
		}
		text := r.lines[r.at][indent:]
		if at > indent || !strings.HasPrefix(text, "- ") {
			r.refuse("not an entry of a list")
		}
		if keyed.MatchString(text[2:]) { // a mapping that begins on the same line as the dash
			r.lines[r.at] = strings.Repeat(" ", indent+2) + text[2:]
			all = append(all, r.mapping(indent+2))
			continue
		}
		all = append(all, r.value(text[2:], indent))
	}
}

// value reads the value after a key or a dash, including the block below it.
func (r *yamlReader) value(text string, indent int) any {
	switch {
	case text == "|":
		r.at++
		return r.literal(indent)
	case strings.HasPrefix(text, "&"):
		r.at++
		r.anchors[text[1:]] = r.block(indent)
		return r.anchors[text[1:]]
	case text == "":
		r.at++
		return r.block(indent)
	case strings.HasPrefix(text, "*"):
		value, known := r.anchors[text[1:]]
		if !known {
			r.refuse("an anchor that is not known")
		}
		r.at++
		return value
	}
	value := r.words(text)
	r.at++
	return value
}

func (r *yamlReader) words(text string) any {
	if text == "{}" {
		return yamlMap{}
	}
	if !strings.HasPrefix(text, "[") {
		return r.word(text)
	}
	if !strings.HasSuffix(text, "]") {
		r.refuse("a list without an end")
	}
	var all []any
	for _, one := range strings.Split(text[1:len(text)-1], ", ") {
		all = append(all, r.word(one))
	}
	return all
}

func (r *yamlReader) word(text string) string {
	if strings.HasPrefix(text, `"`) {
		plain, err := strconv.Unquote(text)
		if err != nil {
			r.refuse("a word whose quotes do not fit")
		}
		return plain
	}
	if text == "" || strings.ContainsAny(text[:1], "'[]{}>|*&!%@`,#?") || strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") {
		r.refuse("a word that has to be quoted")
	}
	return text
}

// literal returns the indented text below a vertical bar.
func (r *yamlReader) literal(above int) string {
	indent, more := above, r.at < len(r.lines)
	if more {
		indent = len(r.lines[r.at]) - len(strings.TrimLeft(r.lines[r.at], " "))
	}
	if indent <= above {
		r.refuse("a text that is not indented")
	}
	var text strings.Builder
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, strings.Repeat(" ", indent)) {
			break
		}
		text.WriteString(strings.TrimPrefix(line, strings.Repeat(" ", indent)) + "\n")
	}
	return strings.TrimRight(text.String(), "\n") + "\n"
}
