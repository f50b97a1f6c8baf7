package fakemodel

import (
	"fmt"
	"strings"
)

func helpText() string {
	var b strings.Builder
	b.WriteString("This is a fake language model. Markers in the last user message control its answer.\n\n")
	fmt.Fprintf(&b, "%-32s%s\n", "(no marker)", `answers "You said: <prompt>", word by word, without delay`)
	for _, m := range Markers() {
		fmt.Fprintf(&b, "%-32s%s\n", m.Form, m.Effect)
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
