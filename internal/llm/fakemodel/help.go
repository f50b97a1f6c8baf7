package fakemodel

import (
	"fmt"
	"strings"
)

// helpRows returns the table of the package comment, for users of curl. A test
// checks that the two are equal.
func helpRows() [][2]string {
	return [][2]string{
		{"(no marker)", `answers "You said: <prompt>", word by word, without delay`},
		{"[slow N] [slow N 5ms]", "streams N words with a pause between them"},
		{"[fast N]", "streams N words without a pause"},
		{"[say TEXT]", "answers exactly TEXT; [say] alone answers nothing at all"},
		{"[think N] [think N 5ms]", "streams N words of thinking first; the default pause is that of [slow]"},
		{"[tool NAME {json}]", "calls a tool; repeat it for parallel calls, whose fragments are interleaved"},
		{"[slowargs 10ms]", "pauses between the fragments of tool arguments"},
		{"[badargs NAME]", "calls a tool with arguments that are incomplete JSON"},
		{"[then SCRIPT]", "the script of the next step, after the tool results have arrived"},
		{"[hang]", "sends nothing, not even headers, until the client disconnects"},
		{"[hangheaders]", "sends headers, then nothing until the client disconnects"},
		{"[hang after N]", "streams N words or argument fragments, then hangs"},
		{"[cut after N]", "streams N words or argument fragments, then breaks the connection"},
		{"[cutclean after N]", "the same, but the response ends cleanly without a finish reason"},
		{"[bytes cut N]", "ends the response cleanly after N bytes of its body"},
		{"[bytes hang N]", "sends N bytes of its body, then hangs"},
		{"[status CODE retry S times K]", "answers with an error; retry (seconds) and times (how often) are optional"},
		{"[length]", "finish reason: out of tokens"},
		{"[refuse]", "finish reason: content filter"},
		{"[usage IN OUT]", "reports these token counts instead of characters/4"},
		{"[cache READ WRITE]", "reports these counts of input tokens read from and written to the cache"},
		{"[nousage]", "reports no token counts, even if requested"},
		{"[runningusage]", "reports the token counts so far in every chunk"},
	}
}

func helpText() string {
	var b strings.Builder
	b.WriteString("This is a fake language model. Markers in the last user message control its answer.\n\n")
	for _, row := range helpRows() {
		fmt.Fprintf(&b, "%-32s%s\n", row[0], row[1])
	}
	b.WriteString("\nPOST /v1/chat/completions   send a request (any key, any model name)\n")
	b.WriteString("POST /v1/responses          the same in OpenAI's newer format\n")
	b.WriteString("POST /v1/messages           the same in Anthropic's\n")
	b.WriteString("POST /v1beta/models/…       the same in Gemini's\n")
	b.WriteString("GET /v1/models              list the models\n")
	b.WriteString("GET /requests               list the requests and their outcomes\n")
	b.WriteString("DELETE /requests            clear that list\n")
	return b.String()
}
