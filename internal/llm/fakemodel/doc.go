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
// accident; a server with WithLenience answers with a text that names the mistake.
// Brackets that contain any other word are plain text. With WithAnswer, a prompt
// without a marker gets a configured answer. With WithPlayer, a function decides
// the answers in place of markers.
//
// Markers returns the markers, and docs/dev/fake-model.md shows each with an example.
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
