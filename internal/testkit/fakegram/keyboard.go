package fakegram

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

const (
	longestData = 64 // bytes
	mostButtons = 100
)

var (
	buttonActions = strings.Fields("url callback_data web_app login_url switch_inline_query switch_inline_query_current_chat" +
		" switch_inline_query_chosen_chat copy_text callback_game pay disabled")
	playedFields = strings.Fields("text callback_data url copy_text style icon_custom_emoji_id")
	buttonStyles = strings.Fields("danger success primary")
)

// markup reads reply_markup; it returns nil if there are no buttons. Keyboards
// other than inline ones are accepted with a new message and not shown.
func (p *play) markup(onlyInline bool) (*Markup, error) {
	raw := p.q.params["reply_markup"]
	if raw == "" {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &fields); err != nil {
		return nil, bad("can't parse reply keyboard markup JSON object")
	}
	if fields["inline_keyboard"] == nil {
		if onlyInline && len(fields) > 0 {
			return nil, bad("inline keyboard expected")
		}
		return nil, nil
	}
	var rows [][]map[string]json.RawMessage
	if err := json.Unmarshal(fields["inline_keyboard"], &rows); err != nil {
		return nil, bad("can't parse inline keyboard button: %v", err)
	}
	return p.keyboard(rows)
}

func (p *play) keyboard(rows [][]map[string]json.RawMessage) (*Markup, error) {
	m, count := &Markup{}, 0
	for _, row := range rows {
		var buttons []Button
		for _, fields := range row {
			b, err := p.button(fields)
			if err != nil {
				return nil, err
			}
			buttons = append(buttons, b)
		}
		count += len(buttons)
		if len(buttons) > 0 {
			m.Rows = append(m.Rows, buttons)
		}
	}
	switch {
	case count > mostButtons:
		return nil, bad("REPLY_MARKUP_TOO_LONG")
	case count == 0:
		return nil, nil
	}
	return m, nil
}

func (p *play) button(fields map[string]json.RawMessage) (Button, error) {
	does := 0
	for name := range fields {
		if slices.Contains(buttonActions, name) && string(fields[name]) != `""` {
			does++
		}
		if !slices.Contains(playedFields, name) {
			p.violate(p.now, "%s: a button's field %q is unknown", p.q.method, name)
		}
	}
	var b Button
	if err := json.Unmarshal(encode(fields), &b); err != nil {
		return b, bad("can't parse inline keyboard button: %v", err)
	}
	switch {
	case b.Text == "":
		return b, bad("can't parse inline keyboard button: Field \"text\" must be of type String")
	case does == 0:
		return b, bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
	case does > 1:
		return b, bad("can't parse inline keyboard button: exactly one action is meant")
	case len(b.Data) > longestData:
		return b, bad("BUTTON_DATA_INVALID")
	case b.URL != "" && !validLink(b.URL):
		return b, bad("BUTTON_URL_INVALID")
	}
	if b.Style != "" && !slices.Contains(buttonStyles, b.Style) {
		p.violate(p.now, "%s: a button's style %q is unknown", p.q.method, b.Style)
	}
	return b, nil
}

func validLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "tg" || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "")
}

func (m *Markup) same(other *Markup) bool { return string(encode(m)) == string(encode(other)) }
