package main

import (
	"slices"
	"strings"
)

// searchCases contains patterns in the syntax of other tools.
func searchCases() []testCase {
	return []testCase{
		{task: "find", mistake: 48, about: "Perl look-ahead", play: func(p *player) {
			answer := p.use("grep", object{"pattern": "function (?=needle)", "path": "src"})
			if failed(answer) && (named(answer, "RE2") || strings.Contains(answer, "(?=")) {
				answer = p.use("grep", object{"pattern": "function needle", "path": "src"})
			}
			p.answerWithFile(answer)
		}},
		{task: "find", mistake: 49, about: "parenthesis that is not escaped", play: func(p *player) {
			answer := p.use("grep", object{"pattern": "function needle(", "path": "src"})
			if failed(answer) && strings.Contains(answer, ")") && strings.Contains(answer, "missing") {
				answer = p.use("grep", object{"pattern": `function needle\(`, "path": "src"})
			}
			p.answerWithFile(answer)
		}},
		{task: "find", mistake: 50, about: "alternation as `\\|`", play: func(p *player) {
			p.answerWithFile(p.insist("grep", object{"pattern": `function needle\|class needle`, "path": "src"}))
		}},
		{task: "find", mistake: 51, about: "`17*.js` for files at any depth", play: func(p *player) {
			p.answerWithFile(p.insist("glob", object{"pattern": "17*.js"}))
		}},
		{task: "js-multi", mistake: 52, about: "absolute pattern", play: func(p *player) {
			answer := p.insist("glob", object{"pattern": p.dir + "/v*.js"})
			found := fileName.FindAllString(answer, -1)
			slices.Sort(found)
			for _, path := range slices.Compact(found) {
				p.insist("edit_file", object{"path": path, "old": "var", "new": "let", "all": true})
			}
		}},
		{task: "find", mistake: 60, about: "colors in the output", play: func(p *player) {
			out := p.insist("shell", object{"command": "grep --color=always -rn 'function needle' src"})
			path, _, _ := strings.Cut(out, ":")
			p.insist("write_file", object{"path": "answer.txt", "content": path + "\n"})
		}},
	}
}
