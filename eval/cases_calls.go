package main

import (
	"strings"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// callCases contains calls in a wrong form or of a wrong tool.
func callCases() []testCase {
	return []testCase{
		{task: "md-links", mistake: 18, about: "comma after the last argument", play: func(p *player) {
			args := `{"path":"README.md","old":"docs/old.md","new":"docs/new.md","all":true`
			answer := p.raw("edit_file", args+",}")
			if failed(answer) && malformed.MatchString(answer) {
				answer = p.raw("edit_file", args+"}")
			}
			if failed(answer) {
				p.giveUp(answer)
			}
		}},
		{task: "quotes", mistake: 18, about: "arguments cut off in a string", play: func(p *player) {
			answer := p.raw("edit_file", `{"path":"q.md","old":"old","new":"ne`)
			if !failed(answer) || !malformed.MatchString(answer) {
				p.giveUp(answer)
			}
			p.insist("edit_file", edit("q.md", "old", "new"))
		}},
		{task: "py-fix", mistake: 19, about: "call written as text, `<tool_call>`", source: "qwen-code#8003, OC#13762", play: func(p *player) {
			p.say("<tool_call>\n{\"name\": \"edit_file\", \"arguments\": " + marshal(edit("f.py", "a-b", "a+b")) + "}\n</tool_call>")
			p.insist("edit_file", edit("f.py", "a-b", "a+b")) // only if there is another request
		}},
		{task: "dirty", mistake: 19, about: "call written as fenced JSON", source: "qwen-code#8003, OC#13762", play: func(p *player) {
			p.say("```json\n{\"name\": \"edit_file\", \"arguments\": " + marshal(edit("b.py", "y=1", "y=5")) + "}\n```")
			p.insist("edit_file", edit("b.py", "y=1", "y=5"))
		}},
		{task: "go-fmt", mistake: 20, about: "tool `Bash`", play: func(p *player) {
			p.insistOn(attempt{tool: "Bash", meant: "shell", args: object{"command": "gofmt -w ."}})
		}},
		{task: "sh-prompt", mistake: 20, about: "tool `functions.shell`", play: func(p *player) {
			p.insistOn(attempt{tool: "functions.shell", meant: "shell", args: object{"command": "echo y | sh ask.sh > out.txt"}})
		}},
		{task: "py-fix", mistake: 21, about: "tool `str_replace_based_edit_tool`", source: "qwen-code#1307", play: func(p *player) {
			p.insistOn(attempt{tool: "str_replace_based_edit_tool", meant: "edit_file", args: object{"command": "str_replace", "path": "f.py", "old_str": "a-b", "new_str": "a+b"}})
		}},
		{task: "go-rename", mistake: 21, about: "tool `apply_patch`", source: "zed#29946", play: func(p *player) {
			answer := p.use("apply_patch", object{"input": renamePatch})
			if failed(answer) && !named(answer, "edit_file") {
				p.giveUp(answer)
			} else if failed(answer) {
				p.insist("edit_file", edit("a.go", "Old", "New"))
				p.insist("edit_file", edit("b.go", "Old", "New"))
			}
		}},
		{task: "go-rename", mistake: 22, about: "patch in a shell command", play: func(p *player) {
			answer := p.use("shell", object{"command": "apply_patch <<'EOF'\n" + renamePatch + "EOF\n"})
			if failed(answer) && !named(answer, "edit_file") && !strings.Contains(answer, "apply_patch tool") {
				p.giveUp(answer)
			} else if failed(answer) {
				p.insist("edit_file", edit("a.go", "Old", "New"))
				p.insist("edit_file", edit("b.go", "Old", "New"))
			}
		}},
		{task: "js-multi", mistake: 42, about: "two edits of one file in a batch", play: func(p *player) {
			var calls []fakemodel.MoveCall
			for _, path := range []string{"v1.js", "v2.js", "v3.js"} {
				for _, name := range []string{"x", "y"} {
					calls = append(calls, fakemodel.MoveCall{Name: "edit_file", Arguments: marshal(edit(path, "var "+name, "let "+name))})
				}
			}
			p.batch(calls...)
		}},
		{task: "js-eq", mistake: 61, about: "the same failing call again and again", source: "gemini-cli#10995", play: func(p *player) {
			var answer string
			for range 5 {
				answer = p.use("edit_file", edit("m.js", "a == b", "a === b"))
				if failed(answer) && looping.MatchString(answer) {
					p.insist("edit_file", edit("m.js", "==", "==="))
					return
				}
			}
			p.giveUp(answer)
		}},
	}
}

const renamePatch = `*** Begin Patch
*** Update File: a.go
@@
-func Old() int { return 1 }
+func New() int { return 1 }
*** Update File: b.go
@@
-var X = Old()
+var X = New()
*** End Patch
`
