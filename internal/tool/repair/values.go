package repair

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// whole matches a whole number, also one that is written with a fraction of 0.
var whole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(-?[0-9]+)(\.0+)?\z`) })

// convert returns the value of an argument with the type of its schema, and
// false if the argument counts as absent. A value that no conversion applies to
// is returned as it is.
func convert(key string, s shape, value json.RawMessage, all []member) (json.RawMessage, bool) {
	if bytes.Equal(value, []byte("null")) {
		return nil, false
	}
	written, isText := text(value)
	switch s.Type {
	case "boolean":
		if low := strings.ToLower(written); isText && (low == "true" || low == "false") {
			return json.RawMessage(low), true
		}
	case "integer":
		number := string(value)
		if isText {
			number = strings.TrimSpace(written)
		}
		if m := whole().FindStringSubmatch(number); m != nil {
			return integer(m[1]), true
		}
	case "array":
		if list := strings.TrimSpace(written); isText && strings.HasPrefix(list, "[") && json.Valid([]byte(list)) {
			return json.RawMessage(list), true
		}
	case "string":
		switch {
		case key == "path" && isText && (written == "undefined" || written == "null"):
			return nil, false
		case key == "command" && !isText:
			return command(value), true
		case key == "content" && !isText:
			return document(value, all), true
		}
	}
	return value, true
}

// integer returns the JSON form of a number without leading zeros.
func integer(digits string) json.RawMessage {
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		sign, digits = "", "0"
	}
	return json.RawMessage(sign + digits)
}

// document returns an object or a list that was written instead of the content
// of a .json file as text. For any other file the value is returned as it is.
func document(value json.RawMessage, all []member) json.RawMessage {
	i := slices.IndexFunc(all, func(m member) bool { return m.key == "path" || pathKeys[m.key] != "" })
	if i < 0 || value[0] != '{' && value[0] != '[' {
		return value
	}
	name, _ := text(all[i].value)
	var out bytes.Buffer
	if !strings.HasSuffix(strings.ToLower(name), ".json") || json.Indent(&out, value, "", "  ") != nil {
		return value
	}
	return marshal(out.String() + "\n")
}

// command returns a list of arguments as one command line of a POSIX shell.
func command(value json.RawMessage) json.RawMessage {
	var argv []string
	if value[0] != '[' || runtime.GOOS == "windows" || json.Unmarshal(value, &argv) != nil || len(argv) == 0 {
		return value
	}
	if len(argv) == 3 && slices.Contains(shells, path.Base(argv[0])) && (argv[1] == "-c" || argv[1] == "-lc") {
		return marshal(argv[2])
	}
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = quoted(word)
	}
	if slices.Contains(reserved, argv[0]) {
		words[0] = "'" + argv[0] + "'"
	}
	return marshal(strings.Join(words, " "))
}

var (
	shells   = []string{"bash", "sh", "zsh", "dash"}
	reserved = strings.Fields("if then else elif fi do done case esac while until for in time function select coproc")
	safeWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_@%+:,./-]+\z`) })
)

// quoted returns a word that the shell reads as exactly this text.
func quoted(word string) string {
	if safeWord().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
