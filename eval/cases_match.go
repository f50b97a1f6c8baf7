package main

import "strings"

// matchCases contains edits whose old text differs from the file.
func matchCases() []testCase {
	return []testCase{
		{task: "py-dup", mistake: 25, about: "`old` with line numbers", play: func(p *player) {
			p.edit("f.py", "3→def g():\n4→ return 1", "3→def g():\n4→ return 2")
		}},
		{task: "py-tabs", mistake: 26, about: "spaces for tabs", source: "claude-code#9163, claude-code#37403, strands#3175", play: func(p *player) {
			p.edit("t.py", "        return \"pos\"\n    return \"neg\"", "        return \"pos\"\n    if x==0:\n        return \"zero\"\n    return \"neg\"")
		}},
		{task: "sh-spaces", mistake: 27, about: "space at a line's end missing", setup: `sed -i 's/done$/done  /' count.sh`, play: func(p *player) {
			p.edit("count.sh", "for f in $(ls $1); do n=$((n+1)); done\necho $n", "for f in \"$1\"/*; do n=$((n+1)); done\necho $n")
		}},
		{task: "go-test", mistake: 28, about: "indentation shifted", play: func(p *player) {
			p.edit("s.go", "for i := range a {\n\ts += i\n}", "for _, i := range a {\n\ts += i\n}")
		}},
		{task: "py-dup", mistake: 29, about: "literal `\\n` in `old`", source: "gemini-cli#5877", play: func(p *player) {
			p.edit("f.py", `def g():\n return 1`, "def g():\n return 2")
		}},
		{task: "quotes", mistake: 31, about: "straight quotes for curly ones", source: "claude-code#26141", play: func(p *player) {
			p.edit("q.md", `It's "old".`, `It's "new".`)
		}},
		{task: "crlf", mistake: 32, about: "LF in `old` for CRLF", play: func(p *player) {
			p.edit("c.txt", "one\ntwo\n", "one\n2\n")
		}},
		{task: "bom", mistake: 33, about: "`old` from the start of a file with BOM", play: func(p *player) {
			p.edit("b.json", "{\"v\":1}\n", "{\"v\":2}\n")
		}},
		{task: "no-newline", mistake: 34, about: "final line break in `old`, none in the file", play: func(p *player) {
			p.edit("n.txt", "b\n", "c\n")
		}},
		{task: "go-test", mistake: 40, about: "one wrong line in a long `old`", play: func(p *player) {
			p.edit("s.go", "func Sum(a ...int) (s int) {\n\tfor i := range s {\n\t\ts += i\n\t}\n\treturn\n}", "func Sum(a ...int) (s int) {\n\tfor _, i := range a {\n\t\ts += i\n\t}\n\treturn\n}")
		}},
	}
}

// edit edits a file. If the old text is not in the file, it replaces each line
// that the answer shows differently, and repeats the edit.
func (p *player) edit(path, before, after string) {
	answer := p.use("edit_file", edit(path, before, after))
	for range patience {
		if !failed(answer) {
			return
		}
		corrected := corrected(before, answer)
		if corrected == before {
			break
		}
		before = corrected
		answer = p.use("edit_file", edit(path, before, after))
	}
	if failed(answer) {
		p.giveUp(answer)
	}
}

// corrected returns a text with the lines of an answer in place of similar ones.
// Lines that the answer contains as they are stay.
func corrected(text, answer string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line == "" || contained(line, answer) {
			continue
		}
		if shown := similarLine(line, answer); shown != "" {
			lines[i] = shown
		}
	}
	return strings.Join(lines, "\n")
}

// contained reports whether an answer shows a line exactly.
func contained(line, answer string) bool {
	for shown := range strings.Lines(answer) {
		for _, text := range candidates(strings.TrimRight(shown, "\n")) {
			if text == line {
				return true
			}
		}
	}
	return false
}
