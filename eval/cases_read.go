package main

import (
	"strings"
)

// filler makes k.go so long that no model can take it in one result.
const filler = `for i in $(seq 9000); do echo "// This comment makes the file longer than one result."; done >> k.go`

// readCases contains reads that return too much, too little or nothing.
func readCases() []testCase {
	return []testCase{
		{task: "go-long", mistake: 43, about: "reads a file of 500 KB whole", setup: filler, play: func(p *player) {
			text := p.insist("read_file", object{"path": "k.go"})
			for range patience {
				if strings.Contains(text, "const K2417 = 0") {
					p.insist("edit_file", edit("k.go", "const K2417 = 0", "const K2417 = 7"))
					return
				}
				next := number(nextOffset, text)
				if next == 0 {
					break
				}
				text = p.insist("read_file", object{"path": "k.go", "offset": next})
			}
			p.giveUp(text)
		}},
		{task: "js-minified", mistake: 44, about: "reads one line of 200 KB", play: func(p *player) {
			p.insist("read_file", object{"path": "min.js"})
			p.insist("edit_file", edit("min.js", `version="1.0.0"`, `version="1.0.1"`))
		}},
		{task: "py-dup", mistake: 45, about: "`offset` after the end", play: func(p *player) {
			text := p.use("read_file", object{"path": "f.py", "offset": 100})
			count := number(lineCount, text)
			if count == 0 {
				p.giveUp(text)
			}
			text = p.insist("read_file", object{"path": "f.py", "offset": count - 1})
			if !strings.Contains(text, "def g") {
				p.giveUp(text)
			}
			p.insist("edit_file", edit("f.py", "def g():\n return 1", "def g():\n return 2"))
		}},
		{task: "agents-md", mistake: 46, about: "reads an empty file", setup: ": > h.py", play: func(p *player) {
			if text := p.use("read_file", object{"path": "h.py"}); !empty.MatchString(text) {
				p.giveUp(text)
			}
			_, header, _ := strings.Cut(p.system, "begins with the line: ")
			header, _, _ = strings.Cut(header, "\n")
			p.insist("write_file", object{"path": "h.py", "content": header + "\nprint(\"hi\")\n"})
		}},
		{task: "md-links", mistake: 47, about: "reads a picture as text", setup: `printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\37\25\304\211' > logo.png`, play: func(p *player) {
			if text := p.use("read_file", object{"path": "logo.png"}); strings.ContainsAny(text, "\uFFFD\x00\x1a") {
				p.giveUp("binary data")
			}
			p.insist("edit_file", object{"path": "README.md", "old": "docs/old.md", "new": "docs/new.md", "all": true})
		}},
	}
}
