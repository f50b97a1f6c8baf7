package ignore

import "strings"

// matchParts compares a path with a pattern, part by part. It backtracks only
// to the last **, so its time is bounded by the product of the lengths.
func matchParts(parts []string, path string) bool {
	p, star, mark := 0, -1, ""
	for path != "" {
		name, rest, _ := strings.Cut(path, "/")
		switch {
		case p < len(parts) && anyDirs(parts[p]):
			star, mark = p, path
			p++
		case p < len(parts) && matchName(parts[p], name):
			p, path = p+1, rest
		case star >= 0:
			_, mark, _ = strings.Cut(mark, "/")
			p, path = star+1, mark
		default:
			return false
		}
	}
	return p == len(parts)
}

// matchName compares one name with one part of a pattern, byte by byte, as git
// does. It backtracks only to the last star.
func matchName(pattern, name string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, n
			p++
			continue
		}
		if size := matchByte(pattern[p:], name[n]); size > 0 {
			p, n = p+size, n+1
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, n = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchByte returns the length of the part of a pattern that matches a byte, or
// 0 if none does.
func matchByte(pattern string, b byte) int {
	switch {
	case pattern == "":
		return 0
	case pattern[0] == '?':
		return 1
	case pattern[0] == '[':
		if matched, size := bracket(pattern, b); matched {
			return size
		}
		return 0
	case pattern[0] == '\\':
		if len(pattern) > 1 && pattern[1] == b {
			return 2
		}
		return 0
	case pattern[0] == b:
		return 1
	}
	return 0
}

// bracket compares a byte with the bracket expression at the beginning of a
// pattern. Its size is 0 if the expression has no end; it then matches nothing.
func bracket(pattern string, b byte) (matched bool, size int) {
	i, negated := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		i, negated = i+1, true
	}
	for first := i; i < len(pattern); {
		if pattern[i] == ']' && i > first {
			return matched != negated, i + 1
		}
		if class, rest, ok := strings.Cut(pattern[i:], ":]"); ok && strings.HasPrefix(class, "[:") && !strings.ContainsRune(class, ']') {
			in, known := classes[class[2:]]
			if !known {
				return false, 0
			}
			matched = matched || in(b)
			i = len(pattern) - len(rest)
			continue
		}
		low, next, ok := literal(pattern, i)
		if !ok {
			return false, 0
		}
		i = next
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			if high, i, ok = literal(pattern, i+1); !ok {
				return false, 0
			}
		}
		matched = matched || b == low || low <= b && b <= high
	}
	return false, 0
}

// literal returns the byte at i, which a backslash may precede, and the index
// after it.
func literal(pattern string, i int) (b byte, next int, ok bool) {
	if pattern[i] == '\\' {
		i++
	}
	if i == len(pattern) {
		return 0, 0, false
	}
	return pattern[i], i + 1, true
}

// classes are the character classes of brackets. They contain only ASCII.
var classes = map[string]func(byte) bool{
	"alnum": func(b byte) bool { return letter(b) || digit(b) },
	"alpha": letter,
	"blank": func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl": func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit": digit,
	"graph": func(b byte) bool { return '!' <= b && b <= '~' },
	"lower": func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print": func(b byte) bool { return ' ' <= b && b <= '~' },
	"punct": func(b byte) bool { return '!' <= b && b <= '~' && !letter(b) && !digit(b) },
	"space": func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper": func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool {
		return digit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
	},
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

func letter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
