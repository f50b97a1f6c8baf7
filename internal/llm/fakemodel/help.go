package fakemodel

import (
	"fmt"
	"strings"
)

// helpRows is the table of the package comment, once more for people who meet
// the server with curl. A test holds the two together.
func helpRows() [][2]string {
	return [][2]string{
		{"(no marker)", `answers "You said: <prompt>", word by word, without delay`},
		{"[slow N] [slow N 5ms]", "streams N words with a pause between them"},
		{"[fast N]", "streams N words without a pause"},
		{"[say TEXT]", "answers exactly TEXT; [say] alone answers nothing at all"},
		{"[think N] [think N 5ms]", "streams N words of thinking first, at the pace of [slow] unless told"},
		{"[tool NAME {json}]", "calls a tool; repeated: parallel calls, fragments interleaved"},
		{"[slowargs 10ms]", "pauses between the fragments of tool arguments"},
		{"[badargs NAME]", "calls a tool with arguments that are cut JSON"},
		{"[then SCRIPT]", "the script of the next step, after tool results came back"},
		{"[hang]", "sends nothing, not even headers, until the client leaves"},
		{"[hangheaders]", "sends headers, then nothing until the client leaves"},
		{"[hang after N]", "streams N words or argument fragments, then hangs"},
		{"[cut after N]", "streams N words or argument fragments, then breaks the connection"},
		{"[cutclean after N]", "the same, but the response ends cleanly without a finish reason"},
		{"[bytes cut N]", "ends the response cleanly after N bytes of its body"},
		{"[bytes hang N]", "sends N bytes of its body, then hangs"},
		{"[status CODE retry S times K]", "answers an error; retry and times are optional"},
		{"[length]", "finish reason: out of tokens"},
		{"[refuse]", "finish reason: content filter"},
		{"[usage IN OUT]", "the token numbers to report, instead of characters/4"},
		{"[cache READ WRITE]", "how much of the input the cache had, and how much it took"},
		{"[nousage]", "reports no token numbers, even when asked"},
		{"[runningusage]", "reports the numbers so far on every chunk"},
	}
}

func helpText() string {
	var b strings.Builder
	b.WriteString("This is a fake language model. It answers what the last user message tells it to.\n\n")
	for _, row := range helpRows() {
		fmt.Fprintf(&b, "%-32s%s\n", row[0], row[1])
	}
	b.WriteString("\nPOST /v1/chat/completions   ask it (any key, any model name)\n")
	b.WriteString("POST /v1/responses          the same in OpenAI's newer format\n")
	b.WriteString("POST /v1/messages           the same in Anthropic's\n")
	b.WriteString("POST /v1beta/models/…       the same in Gemini's\n")
	b.WriteString("GET /v1/models              the models it lists\n")
	b.WriteString("GET /requests               what it was asked, and what became of it\n")
	b.WriteString("DELETE /requests            forget all that\n")
	return b.String()
}
