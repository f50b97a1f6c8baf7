// Package fakemodel is a language model made of a script. It serves the APIs of
// OpenAI (chat completions and responses), Anthropic and Gemini over real HTTP,
// so that Bellcord can be tried and tested without a key, and it is the auditor of those tests: every request is checked
// strictly, and the moment a client left before its reply was over is recorded.
//
// What the model answers is decided by markers in the last user message. They
// stand in square brackets and may be combined; the text around them is echoed
// when no marker says what to answer. A marker that is known but wrongly
// written is refused with status 400, because a test with a typing error must
// not pass by accident; brackets with any other word in them are plain text. With
// WithAnswer, a prompt without any marker is answered with a text of one's own.
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
// The steps of one user prompt are counted by the assistant messages with tool
// calls after it. A step without a script of its own answers "Results: <n>" and
// the beginning of each result. Scripts of later steps are the [then] markers in
// their order; one nested in another follows it. The usage markers hold for all
// steps unless a step has its own.
//
// [status … times K] hits the first K requests with the same prompt text and
// step; then the rest of the script is played. Several are served one after the
// other.
//
// The script and the records know nothing of the wire format: a format is one
// implementation of the unexported interface format, in files of its own.
//
// Inside a testing/synctest bubble, create the Server in the bubble and talk to
// it with the client that Pipe returns.
package fakemodel
