package telegram_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/telegram"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func TestRender_Markdown_ReturnsTelegramHTML(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"plain":                              "plain",
		"a < b && c > d":                     "a &lt; b &amp;&amp; c &gt; d",
		"**bold** and *it* and ~~gone~~":     "<b>bold</b> and <i>it</i> and <s>gone</s>",
		"__bold__ and _it_":                  "<b>bold</b> and <i>it</i>",
		"**bold with *it* in it**":           "<b>bold with <i>it</i> in it</b>",
		"snake_case_name and 2 * 3 * 4":      "snake_case_name and 2 * 3 * 4",
		"`a < b`":                            "<code>a &lt; b</code>",
		"**never closed":                     "**never closed",
		"*a **b* c**":                        "*a <b>b* c</b>",
		"# Title **x**":                      "<b>Title **x**</b>",
		"#hashtag":                           "#hashtag",
		"- one\n  * two":                     "• one\n  • two",
		"> said":                             "<blockquote>said</blockquote>",
		"[site](https://example.com/?a=1&b)": `<a href="https://example.com/?a=1&amp;b">site</a>`,
		"[x](javascript:alert(1))":           "[x](javascript:alert(1))",
		"[x](file:///etc/passwd)":            "[x](file:///etc/passwd)",
		"```go\nif a < b {\n```":             "<pre><code class=\"language-go\">if a &lt; b {</code></pre>",
		"```\n**no**\n```\nafter":            "<pre>**no**</pre>\nafter",
		"```never closed\nx":                 "<pre>x</pre>",
		"```c++\nx\n```":                     "<pre><code class=\"language-c++\">x</code></pre>",
		"```\"onload=\nx\n```":               "<pre>x</pre>",
		`\*not it\*`:                         "*not it*",
		"<b>tags of its own</b><script>":     "&lt;b&gt;tags of its own&lt;/b&gt;&lt;script&gt;",
		"***":                                "***",
		"":                                   "",
	} {
		if got := telegram.Render(markdown); got != want {
			t.Errorf("%q\n is %q\n not %q", markdown, got, want)
		}
	}
}

// A model may write anything. The strict fake server must accept every part as
// HTML.
// mostUnits is the maximum length of a part of an answer.
const mostUnits = 4000

func TestRender_RandomMarkdown_IsAcceptedByTheServer(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"word", " ", "\n", "\n\n", "**", "*", "_", "__", "~~", "`", "```", "```go\n", "\n```\n", "[a](https://x.y/z)", "[", "](", ")", "<b>", "</b>", "&", "&amp;",
		"# ", "- ", "> ", "\\", "🔔", "漢", strings.Repeat("long ", 300), strings.Repeat("x", 900), "\"", "'", "<script>", "|a|b|\n",
	}
	synctest.Test(t, func(t *testing.T) {
		server := fakegram.New(fakegram.WithToken("1:TEST"))
		client, stop := server.Pipe()
		defer stop()
		server.AddPerson(fakegram.User{ID: 7, FirstName: "Anna"})
		if _, err := server.Say(7, 7, "hello"); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			var text strings.Builder
			for range random.IntN(40) {
				text.WriteString(pieces[random.IntN(len(pieces))])
			}
			for _, part := range chats.Split(text.String(), mostUnits) {
				if units := chats.Units(part); units > mostUnits {
					t.Fatalf("a part has %d units", units)
				}
				time.Sleep(2 * time.Second) //nolint:forbidigo // of the bubble's clock: the server's rate
				post(t, client, part)
			}
		}
		for _, v := range server.Violations() {
			t.Error(v)
		}
	})
}

func post(t *testing.T, client *http.Client, part string) {
	t.Helper()
	html := telegram.Render(part)
	answer, err := client.PostForm("http://fakegram/bot1:TEST/sendMessage", url.Values{"chat_id": {"7"}, "parse_mode": {"HTML"}, "text": {html}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	empty := strings.Contains(string(body), "text is empty") // only marks or spaces: there is nothing to show
	if answer.StatusCode != http.StatusOK && !empty {
		t.Errorf("%s\nof %q\nas %q", body, part, html)
	}
}
