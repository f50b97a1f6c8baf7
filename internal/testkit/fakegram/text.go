package fakegram

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	longestText    = 4096 // UTF-16 units after parsing entities
	longestCaption = 1024
	longestToast   = 200
)

// formatted is displayed text with its entities.
type formatted struct {
	text     string
	entities []Entity
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

// formatted reads a text parameter with its parse mode, or with separate
// entities. The result is trimmed as Telegram does it.
func (p *play) formatted(textName, entitiesName string) (formatted, error) {
	raw := p.q.params[textName]
	if !utf8.ValidString(raw) {
		return formatted{}, bad("strings must be encoded in UTF-8")
	}
	raw = plainControls(raw)
	switch mode := strings.ToLower(p.q.params["parse_mode"]); mode {
	case "":
		f := formatted{text: raw}
		if err := p.q.object(entitiesName, &f.entities); err != nil {
			return formatted{}, err
		}
		return f.trimmed(), f.checkEntities()
	case "html":
		return p.formattedHTML(raw)
	case "markdown", "markdownv2":
		p.violate(p.now, "%s: parse_mode %s, where one missed escape costs the whole message; use HTML", p.q.method, p.q.params["parse_mode"])
		return formatted{}, bad("can't parse entities: %s is not played by this server", p.q.params["parse_mode"])
	}
	return formatted{}, bad("unsupported parse_mode")
}

func (p *play) formattedHTML(raw string) (formatted, error) {
	f, loose, err := parseHTML(raw)
	if err != nil {
		return formatted{}, bad("can't parse entities: %v", err)
	}
	for _, what := range loose {
		p.violate(p.now, "%s: %s", p.q.method, what)
	}
	return f.trimmed(), nil
}

// plainControls replaces or removes control characters as Telegram does.
func plainControls(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return -1
		case r < ' ' && r != '\n' && r != '\t':
			return ' '
		}
		return r
	}, s)
}

var entityTypes = strings.Fields("mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough" +
	" spoiler blockquote expandable_blockquote code pre text_link text_mention custom_emoji date_time")

// checkEntities checks entities that the bot sent explicitly.
func (f formatted) checkEntities() error {
	all := utf16.Encode([]rune(f.text))
	for _, e := range f.entities {
		if !slices.Contains(entityTypes, e.Type) {
			return bad("can't parse entities: unsupported type %q specified", e.Type)
		}
		end := e.Offset + e.Length
		switch {
		case e.Offset < 0 || e.Length < 0 || end > len(all):
			return bad("entity ends after the end of the text at UTF-16 offset %d", end)
		case splitsPair(all, e.Offset) || splitsPair(all, end):
			return bad("entity is cut in the middle of a symbol at UTF-16 offset %d", e.Offset)
		}
	}
	return nil
}

func splitsPair(all []uint16, at int) bool {
	return at > 0 && at < len(all) && utf16.IsSurrogate(rune(all[at])) && all[at] >= 0xdc00
}

// trimmed removes white space from both ends, at the start only up to the first
// entity, so that code keeps its indentation.
func (f formatted) trimmed() formatted {
	lead := len(f.text) - len(strings.TrimLeft(f.text, " \n\t"))
	for _, e := range f.entities {
		lead = min(lead, max(0, e.Offset)) // all before it is white space: one byte and one unit each
	}
	text := strings.TrimRight(f.text[lead:], " \n\t")
	out := formatted{text: text}
	for _, e := range f.entities {
		e.Offset -= lead
		e.Length = min(e.Length, units(text)-e.Offset)
		if e.Length > 0 {
			out.entities = append(out.entities, e)
		}
	}
	return out
}

func (f formatted) same(text string, entities []Entity) bool {
	return f.text == text && slices.EqualFunc(f.entities, entities, func(a, b Entity) bool {
		return string(encode(a)) == string(encode(b))
	})
}
