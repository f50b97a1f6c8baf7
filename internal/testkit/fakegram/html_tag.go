package fakegram

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const space = " \t\n\r\f\v"

// startTag reads a tag with its attributes. Its error texts are Telegram's,
// which start with a capital.
func (r *htmlReader) startTag() error {
	begin := r.pos
	rest := r.src[begin+1:]
	length := strings.IndexAny(rest, space+">")
	if length < 0 {
		return complain("Unclosed start tag at byte offset %d", begin)
	}
	tag := openTag{name: strings.ToLower(rest[:length]), attrs: map[string]string{}, offset: r.units}
	if _, known := tagTypes[tag.name]; !known {
		return complain("Unsupported start tag %q at byte offset %d", tag.name, begin)
	}
	r.pos = begin + 1 + length
	for {
		r.pos += len(r.src[r.pos:]) - len(strings.TrimLeft(r.src[r.pos:], space))
		if r.pos == len(r.src) {
			return complain("Unclosed start tag at byte offset %d", begin)
		}
		if r.src[r.pos] == '>' {
			break
		}
		if err := r.attribute(tag, begin); err != nil {
			return err
		}
	}
	r.pos++
	if tag.name == "span" && tag.attrs["class"] != "tg-spoiler" {
		return complain("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	r.open = append(r.open, tag)
	return nil
}

// attribute reads an attribute with its value; only expandable has no value.
func (r *htmlReader) attribute(tag openTag, begin int) error {
	rest := r.src[r.pos:]
	length := strings.IndexAny(rest, space+"=>")
	switch {
	case length < 0:
		return complain("Unclosed start tag at byte offset %d", begin)
	case length == 0:
		return complain("Empty attribute name in the tag %q at byte offset %d", tag.name, begin)
	}
	name := strings.ToLower(rest[:length])
	after := strings.TrimLeft(rest[length:], space)
	if !strings.HasPrefix(after, "=") {
		if tag.name == "blockquote" && name == "expandable" {
			tag.attrs[name] = ""
			r.pos += length
			return nil
		}
		return complain("Expected equal sign in declaration of an attribute of the tag %q at byte offset %d", tag.name, begin)
	}
	r.pos = len(r.src) - len(strings.TrimLeft(after[1:], space))
	value, err := r.value(begin)
	tag.attrs[name] = value
	return err
}

// value reads a name, or a quoted string with entities.
func (r *htmlReader) value(begin int) (string, error) {
	rest := r.src[r.pos:]
	if rest == "" {
		return "", complain("Unclosed start tag at byte offset %d", begin)
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(rest[1:], quote)
		if end < 0 {
			return "", complain("Unclosed start tag at byte offset %d", begin)
		}
		r.pos += end + 2
		return unescape(rest[1 : end+1]), nil
	}
	length := strings.IndexFunc(rest, func(c rune) bool {
		return c > 'z' || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", c)
	})
	if length < 0 || !strings.ContainsAny(rest[length:length+1], space+">") {
		return "", complain("Unexpected end of name token at byte offset %d", r.pos)
	}
	r.pos += length
	return strings.ToLower(rest[:length]), nil
}

func unescape(s string) string {
	var b strings.Builder
	for s != "" {
		if char, length := htmlEntity(s); length > 0 {
			b.WriteRune(char)
			s = s[length:]
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// htmlEntity reads the entity at the start of s; length is 0 if Telegram
// supports no such entity. As in Telegram, the semicolon is optional.
func htmlEntity(s string) (char rune, length int) {
	if !strings.HasPrefix(s, "&") {
		return 0, 0
	}
	if digits, is := strings.CutPrefix(s, "&#"); is {
		char, length = numericEntity(digits)
		if length == 0 {
			return 0, 0
		}
		length += len("&#")
	} else {
		name := s[1:]
		if end := strings.IndexFunc(name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }); end >= 0 {
			name = name[:end]
		}
		char = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"'}[name]
		if char == 0 {
			return 0, 0
		}
		length = 1 + len(name)
	}
	if strings.HasPrefix(s[length:], ";") {
		length++
	}
	return char, length
}

func numericEntity(s string) (char rune, length int) {
	base, digits := 10, "0123456789"
	prefix := 0
	if strings.HasPrefix(s, "x") {
		base, digits, prefix = 16, "0123456789abcdefABCDEF", 1
	}
	number := s[prefix:]
	number = number[:len(number)-len(strings.TrimLeft(number, digits))]
	n, err := strconv.ParseUint(number, base, 32)
	if err != nil || n == 0 || n >= utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), prefix + len(number)
}
