// Package fakemodel is a language model controlled by scripts. It serves the
// APIs of OpenAI (Chat Completions and Responses), Anthropic and Gemini over
// real HTTP, so that Bellcord can be tried and tested without a key. It also
// audits the tests: every request is checked strictly, and the time at which a
// client disconnects before the end of its reply is recorded.
//
// Markers in the last user message determine the answer. They are written in
// square brackets and can be combined; the text around them is echoed if no
// marker sets the answer. A marker that exists but is written incorrectly is
// rejected with status 400, because a test with a typing error must not pass by
// accident. Brackets that contain any other word are plain text. With
// WithAnswer, a prompt without a marker gets a configured answer.
//
//	(no marker)                     answers "You said: <prompt>", word by word, without delay
//	[slow N] [slow N 5ms]           streams N words with a pause between them
//	[fast N]                        streams N words without a pause
//	[say TEXT]                      answers exactly TEXT; [say] alone answers nothing at all
//	[think N] [think N 5ms]         streams N words of thinking first; the default pause is that of [slow]
//	[tool NAME {json}]              calls a tool; repeat it for parallel calls, whose fragments are interleaved
//	[slowargs 10ms]                 pauses between the fragments of tool arguments
//	[badargs NAME]                  calls a tool with arguments that are incomplete JSON
//	[then SCRIPT]                   the script of the next step, after the tool results have arrived
//	[hang]                          sends nothing, not even headers, until the client disconnects
//	[hangheaders]                   sends headers, then nothing until the client disconnects
//	[hang after N]                  streams N words or argument fragments, then hangs
//	[cut after N]                   streams N words or argument fragments, then breaks the connection
//	[cutclean after N]              the same, but the response ends cleanly without a finish reason
//	[bytes cut N]                   ends the response cleanly after N bytes of its body
//	[bytes hang N]                  sends N bytes of its body, then hangs
//	[status CODE retry S times K]   answers with an error; retry (seconds) and times (how often) are optional
//	[length]                        finish reason: out of tokens
//	[refuse]                        finish reason: content filter
//	[usage IN OUT]                  reports these token counts instead of characters/4
//	[cache READ WRITE]              reports these counts of input tokens read from and written to the cache
//	[nousage]                       reports no token counts, even if requested
//	[runningusage]                  reports the token counts so far in every chunk
//
// The step of a request is the number of assistant messages with tool calls
// after the last user prompt. A step without a script answers "Results: <n>"
// and the beginning of each result. The scripts of later steps are the [then]
// markers in their order; a nested one follows the one that contains it. The
// usage markers apply to all steps, unless a step has other ones.
//
// [status … times K] applies to the first K requests with the same prompt text
// and step; then the rest of the script is played. Several status markers are
// applied one after the other.
//
// The script and the records do not depend on the wire format. A format is an
// implementation of the unexported interface format, in separate files.
//
// Inside a testing/synctest bubble, create the Server in the bubble and connect
// to it with the client that Pipe returns.
package fakemodel
