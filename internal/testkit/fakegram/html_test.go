package fakegram_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func TestHTML_ValidMarkup_BecomesTextAndEntities(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, html, text, entities string }{
		{"plain", "a &lt;b&gt; &amp; &quot;c&quot; &#33; &#x1F514;", `a <b> & "c" ! 🔔`, `null`},
		{"all styles", "<b>a</b><strong>b</strong><i>c</i><em>d</em><u>e</u><ins>f</ins><s>g</s><strike>h</strike><del>i</del>", "abcdefghi", `[
			{"type":"bold","offset":0,"length":1},{"type":"bold","offset":1,"length":1},{"type":"italic","offset":2,"length":1},
			{"type":"italic","offset":3,"length":1},{"type":"underline","offset":4,"length":1},{"type":"underline","offset":5,"length":1},
			{"type":"strikethrough","offset":6,"length":1},{"type":"strikethrough","offset":7,"length":1},{"type":"strikethrough","offset":8,"length":1}]`},
		{"nesting, outer first", "<b>a<i>b</i></b>", "ab", `[{"type":"bold","offset":0,"length":2},{"type":"italic","offset":1,"length":1}]`},
		{"offsets behind a surrogate pair", "🔔<b>a</b>", "🔔a", `[{"type":"bold","offset":2,"length":1}]`},
		{"tags in capitals, with spaces", "<B >a</B >", "a", `[{"type":"bold","offset":0,"length":1}]`},
		{"code with a language", `<pre><code class="language-go">x</code></pre>`, "x", `[{"type":"pre","offset":0,"length":1,"language":"go"}]`},
		{"code alone has no language", `<code class="language-go">x</code>`, "x", `[{"type":"code","offset":0,"length":1}]`},
		{"nothing is styled inside code", "<code>a<b>b</b></code>", "ab", `[{"type":"code","offset":0,"length":2}]`},
		{"code inside bold", "<b>a<code>b</code></b>", "ab", `[{"type":"bold","offset":0,"length":2},{"type":"code","offset":1,"length":1}]`},
		{"a link, with entities in its address", `<a href="https://x.org/?a=1&amp;b=&quot;2&#34;">x</a>`, "x", `[{"type":"text_link","offset":0,"length":1,"url":"https://x.org/?a=1&b=\"2\""}]`},
		{"a link in single quotes", `<a href='tg://user?id=5'>x</a>`, "x", `[{"type":"text_link","offset":0,"length":1,"url":"tg://user?id=5"}]`},
		{"a > in an attribute", `<a href="https://x.org/>">x</a>`, "x", `[{"type":"text_link","offset":0,"length":1,"url":"https://x.org/>"}]`},
		{"spoilers", `<tg-spoiler>a</tg-spoiler><span class="tg-spoiler">b</span>`, "ab", `[{"type":"spoiler","offset":0,"length":1},{"type":"spoiler","offset":1,"length":1}]`},
		{"quotations", "<blockquote>a</blockquote><blockquote expandable>b</blockquote>", "ab", `[{"type":"blockquote","offset":0,"length":1},{"type":"expandable_blockquote","offset":1,"length":1}]`},
		{"a custom emoji", `<tg-emoji emoji-id="53">👍</tg-emoji>`, "👍", `[{"type":"custom_emoji","offset":0,"length":2,"custom_emoji_id":"53"}]`},
		{"an empty tag is nothing", "a<b></b>", "a", `null`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				m := s.call("sendMessage", fields{"chat_id": anna, "text": tc.html, "parse_mode": "HTML"}).message()
				var want []fakegram.Entity
				if err := json.Unmarshal([]byte(tc.entities), &want); err != nil {
					s.Fatal(err)
				}
				got, _ := json.Marshal(m.Entities)
				expected, _ := json.Marshal(want)
				if m.Text != tc.text || string(got) != string(expected) {
					s.Errorf("got %q %s, not %q %s", m.Text, got, tc.text, expected)
				}
				s.clean()
			})
		})
	}
}

func TestHTML_Malformed_IsRefusedWithTelegramsText(t *testing.T) {
	t.Parallel()
	for html, words := range map[string]string{
		"<b>a":                         `Can't find end tag corresponding to start tag "b"`,
		"<b><i>a</b></i>":              `Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`,
		"a</b>":                        `Unexpected end tag at byte offset 1`,
		"a < b":                        `Unsupported start tag "" at byte offset 2`,
		"<script>a</script>":           `Unsupported start tag "script" at byte offset 0`,
		"<br/>":                        `Unsupported start tag "br/" at byte offset 0`,
		"<!-- a -->":                   `Unsupported start tag "!--" at byte offset 0`,
		"€<h1>a</h1>":                  `Unsupported start tag "h1" at byte offset 3`,
		"a <b":                         `Unclosed start tag at byte offset 2`,
		"<a href=":                     `Unclosed start tag at byte offset 0`,
		`<a href="x`:                   `Unclosed start tag at byte offset 0`,
		"<b>a</b":                      `Unclosed end tag at byte offset 4`,
		"<a =x>a</a>":                  `Empty attribute name in the tag "a" at byte offset 0`,
		"<a href>a</a>":                `Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0`,
		"<a href=x/y>a</a>":            `Unexpected end of name token at byte offset 8`,
		`<span class="other">a</span>`: `Tag "span" must have class "tg-spoiler" at byte offset 0`,
	} {
		t.Run(html, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				s.call("sendMessage", fields{"chat_id": anna, "text": html, "parse_mode": "HTML"}).
					refused(400, "Bad Request: can't parse entities: "+words)
				if got := s.Chat(anna); len(got.Messages) != 1 {
					s.Errorf("a message that was refused is seen: %+v", got.Messages)
				}
			})
		})
	}
}

func TestHTML_ToleratedByTelegram_IsAViolation(t *testing.T) {
	t.Parallel()
	for html, words := range map[string]string{
		"fish & chips":                   "an & at byte offset 5",
		"a&nbsp;b":                       "an & at byte offset 1",
		"a &#0; b":                       "an & at byte offset 2",
		"a -> b":                         "a > at byte offset 3",
		`<a href="javascript:x()">x</a>`: `a link to "javascript:x()"`,
		"<a>x</a>":                       `a link to ""`,
		"<blockquote>a<blockquote>b</blockquote></blockquote>": "a blockquote within another",
	} {
		t.Run(html, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				m := s.call("sendMessage", fields{"chat_id": anna, "text": html, "parse_mode": "HTML"}).message()
				for _, e := range m.Entities {
					if e.Type == "text_link" {
						s.Errorf("a link was kept: %+v", e)
					}
				}
				s.broken(words)
			})
		})
	}
}
