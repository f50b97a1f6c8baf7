package fakemodel

import "strings"

// Marker is one form of a marker in a prompt.
type Marker struct {
	Form    string // how it is written; words in capital letters are arguments
	Effect  string // what the model does
	Example string // a prompt with the marker

	apply func(*script, marker) error
}

// Name returns the word that begins the marker.
func (m Marker) Name() string {
	name, _, _ := strings.Cut(strings.Trim(m.Form, "[]"), " ")
	return name
}

// Markers returns every form of every marker. Scripts are parsed with the same
// table.
func Markers() []Marker {
	return []Marker{
		{"[slow N]", "streams N words with a pause between them; the pause is 50 ms in the built-in model, and that of --pace in bellcord dev fakemodel", "[slow 3]", (*script).markSlow},
		{"[slow N PAUSE]", "streams N words with this pause between them", "[slow 3 5ms]", (*script).markSlow},
		{"[fast N]", "streams N words without a pause", "[fast 3]", (*script).markFast},
		{"[say TEXT]", "answers exactly TEXT, which may contain pairs of brackets", "[say The bell rings.]", (*script).markText},
		{"[say]", "answers nothing", "[say]", (*script).markText},
		{"[think N]", "streams N words of thinking first, with the pause of [slow]", "[think 2] [slow 2]", (*script).markThink},
		{"[think N PAUSE]", "streams N words of thinking first, with this pause between them", "[think 2 5ms] [say Done.]", (*script).markThink},
		{"[tool NAME {JSON}]", "calls a tool; without {JSON} the arguments are empty; repeat the marker for parallel calls, whose fragments are interleaved", `[tool shell {"command":"ls"}]`, (*script).markTool},
		{"[slowargs PAUSE]", "pauses between the fragments of tool arguments", `[slowargs 10ms] [tool shell {"command":"ls"}]`, (*script).markSlowArgs},
		{"[badargs NAME]", "calls a tool with arguments that are incomplete JSON", "[badargs shell]", (*script).markBadArgs},
		{"[then SCRIPT]", "applies the markers in SCRIPT to the next step, after the tool results have arrived", `[tool shell {"command":"ls"}] [then [say That was it.]]`, (*script).markThen},
		{"[reset]", "ignores the markers before it; agents that drop a stopped turn repeat its prompt in front of the next one", "[hang] [reset] [say Done.]", (*script).markPlain},
		{"[hang]", "sends nothing, not even headers, until the client disconnects", "[hang]", (*script).markEnding},
		{"[hangheaders]", "sends headers, then nothing until the client disconnects", "[hangheaders]", (*script).markPlain},
		{"[hang after N]", "streams N words or argument fragments, then nothing until the client disconnects", "[hang after 2]", (*script).markEnding},
		{"[cut after N]", "streams N words or argument fragments, then breaks the connection", "[cut after 2]", (*script).markEnding},
		{"[cutclean after N]", "streams N words or argument fragments, then ends the response without a finish reason", "[cutclean after 2]", (*script).markEnding},
		{"[bytes cut N]", "ends the response after N bytes of its body", "[bytes cut 40] [fast 3]", (*script).markBytes},
		{"[bytes hang N]", "sends N bytes of the body, then nothing until the client disconnects", "[bytes hang 40] [fast 3]", (*script).markBytes},
		{"[status CODE]", "answers every request with an error status from 400 to 599", "[status 500]", (*script).markStatus},
		{"[status CODE retry S times K]", "answers the first K requests with an error and a Retry-After header of S seconds; retry and times are optional, and several markers apply one after the other", "[status 429 retry 1 times 1] [say Done.]", (*script).markStatus},
		{"[length]", "ends the answer because it is out of tokens", "[length] [fast 2]", (*script).markPlain},
		{"[refuse]", "ends the answer because of a content filter", "[refuse] [say No.]", (*script).markPlain},
		{"[usage IN OUT]", "reports these numbers of input and output tokens; without the marker, a token is 4 characters", "[usage 1000 20] [fast 2]", (*script).markUsage},
		{"[cache READ WRITE]", "reports these numbers of input tokens as read from and written to the cache", "[cache 800 100] [usage 1000 20] [fast 2]", (*script).markCache},
		{"[nousage]", "reports no token counts, even if the request asks for them", "[nousage] [fast 2]", (*script).markPlain},
		{"[runningusage]", "reports the token counts so far in every chunk", "[runningusage] [fast 2]", (*script).markPlain},
	}
}

// action returns the function that applies a marker of this name to a script,
// or nil if there is no such marker.
func action(name string) func(*script, marker) error {
	for _, m := range Markers() {
		if m.Name() == name {
			return m.apply
		}
	}
	return nil
}
