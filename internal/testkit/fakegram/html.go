package fakegram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// tagTypes maps Telegram's tags to entity types. Tags that need further checks
// have an empty type.
var tagTypes = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "tg-spoiler": "spoiler", "span": "spoiler",
	"code": "code", "pre": "pre", "blockquote": "", "a": "", "tg-emoji": "",
}

// htmlReader parses a message in one pass. The offsets in its errors are bytes
// of the source, as in Telegram's.
type htmlReader struct {
	src      string
	pos      int
	out      strings.Builder
	units    int
	open     []openTag
	entities []Entity
	loose    []string // what Telegram accepts without the intended effect
}

type openTag struct {
	name   string
	attrs  map[string]string
	offset int // in units
}

// parseHTML parses the HTML of messages: Telegram's tags, properly nested, and
// the entities lt, gt, amp, quot and numbers. loose describes what Telegram
// tolerates and a correct bot does not write.
func parseHTML(src string) (f formatted, loose []string, err error) {
	r := &htmlReader{src: src}
	for r.pos < len(src) {
		if err := r.step(); err != nil {
			return formatted{}, nil, err
		}
	}
	if len(r.open) > 0 {
		return formatted{}, nil, complain("Can't find end tag corresponding to start tag %q", r.open[len(r.open)-1].name)
	}
	return formatted{text: r.out.String(), entities: tidy(r.entities)}, r.loose, nil
}

func (r *htmlReader) step() error {
	switch c := r.src[r.pos]; c {
	case '<':
		if strings.HasPrefix(r.src[r.pos:], "</") {
			return r.endTag()
		}
		return r.startTag()
	case '&':
		if char, length := htmlEntity(r.src[r.pos:]); length > 0 {
			r.put(char)
			r.pos += length
			return nil
		}
		r.loose = append(r.loose, fmt.Sprintf("an & at byte offset %d that is not escaped", r.pos))
	case '>':
		r.loose = append(r.loose, fmt.Sprintf("a > at byte offset %d that is not escaped", r.pos))
	}
	char, length := utf8.DecodeRuneInString(r.src[r.pos:])
	r.put(char)
	r.pos += length
	return nil
}

func (r *htmlReader) put(char rune) {
	r.out.WriteRune(char)
	r.units++
	if char > 0xffff {
		r.units++
	}
}

func (r *htmlReader) endTag() error {
	begin := r.pos
	if len(r.open) == 0 {
		return complain("Unexpected end tag at byte offset %d", begin)
	}
	length := strings.IndexByte(r.src[begin:], '>')
	if length < 0 {
		return complain("Unclosed end tag at byte offset %d", begin)
	}
	name := strings.ToLower(strings.TrimSpace(r.src[begin+2 : begin+length]))
	top := r.open[len(r.open)-1]
	if name != top.name {
		return complain("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, top.name, name)
	}
	r.open = r.open[:len(r.open)-1]
	r.pos = begin + length + 1
	if e, is := r.entity(top); is && e.Length > 0 {
		r.entities = append(r.entities, e)
	}
	return nil
}

// entity returns the entity of a closed tag, and whether Telegram keeps it.
func (r *htmlReader) entity(t openTag) (Entity, bool) {
	e := Entity{Type: tagTypes[t.name], Offset: t.offset, Length: r.units - t.offset}
	switch t.name {
	case "a":
		return r.link(e, t.attrs["href"])
	case "tg-emoji":
		e.Type, e.EmojiID = "custom_emoji", t.attrs["emoji-id"]
	case "blockquote":
		e.Type = "blockquote"
		if _, expandable := t.attrs["expandable"]; expandable {
			e.Type = "expandable_blockquote"
		}
		if r.within("blockquote") {
			r.loose = append(r.loose, "a blockquote within another, which is dropped")
			return e, false
		}
	case "code":
		e.Language = strings.TrimPrefix(t.attrs["class"], "language-")
		if e.Language != "" && !r.within("pre") {
			e.Language = ""
		}
	}
	return e, true
}

func (r *htmlReader) within(name string) bool {
	return slices.ContainsFunc(r.open, func(t openTag) bool { return t.name == name })
}

func (r *htmlReader) link(e Entity, href string) (Entity, bool) {
	scheme, rest, _ := strings.Cut(href, ":")
	if !slices.Contains(strings.Fields("http https tg mailto tel"), strings.ToLower(scheme)) || strings.Trim(rest, "/") == "" {
		r.loose = append(r.loose, fmt.Sprintf("a link to %q, which is dropped", href))
		return e, false
	}
	e.Type, e.URL = "text_link", href
	return e, true
}

// tidy sorts entities as Telegram does, outer ones first, sets the language of
// pre from the code that fills it, and drops what cannot be inside code.
func tidy(all []Entity) []Entity {
	slices.SortStableFunc(all, func(a, b Entity) int {
		return cmp.Or(a.Offset-b.Offset, b.Length-a.Length, boolOrder(b.Type == "pre", a.Type == "pre"))
	})
	var out []Entity
	for _, e := range all {
		last := len(out) - 1
		inside := slices.IndexFunc(out, func(o Entity) bool {
			return (o.Type == "pre" || o.Type == "code") && e.Offset >= o.Offset && e.Offset+e.Length <= o.Offset+o.Length
		})
		if inside < 0 {
			out = append(out, e)
		} else if inside == last && e.Type == "code" && e.Offset == out[last].Offset && e.Length == out[last].Length {
			out[last].Language = e.Language
		}
	}
	return out
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// complain returns an error with Telegram's text, which starts with a capital.
func complain(format string, args ...any) error {
	return problem{words: fmt.Sprintf(format, args...)}
}
