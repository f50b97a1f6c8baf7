package main

import "strings"

// editCases contains edits and writes of the wrong kind.
func editCases() []testCase {
	return []testCase{
		{task: "dirty", mistake: 23, about: "edit of a file that was not read", play: func(p *player) {
			p.insist("edit_file", edit("b.py", "y=1", "y=5"))
		}},
		{task: "md-toc", mistake: 24, about: "overwrites a file that was not read", source: "gemini-cli#3823", play: func(p *player) {
			links := "\n- [One](#one)\n- [Two](#two)\n- [Three](#three)\n"
			answer := p.use("write_file", object{"path": "R.md", "content": "# T\n" + links + "\n## One\n\n## Two\n"}) // from an outdated state of the file
			if failed(answer) {
				text := p.insist("read_file", object{"path": "R.md"})
				if !strings.Contains(text, "## Three") {
					p.giveUp(text)
				}
				p.insist("edit_file", edit("R.md", "# T\n", "# T\n"+links))
			}
		}},
		{task: "escape", mistake: 30, about: "line break inside a string in `new`", source: "gemini-cli#2011, gemini-cli#26209", play: func(p *player) {
			answer := p.insist("edit_file", edit("n.py", `print("a\nb")`, "print(\"x\nb\")"))
			if badSyntax.MatchString(answer) {
				p.insist("edit_file", edit("n.py", "print(\"x\nb\")", `print("x\nb")`))
			}
		}},
		{task: "agents-md", mistake: 35, about: "empty `old` for a new file", play: func(p *player) {
			_, header, _ := strings.Cut(p.system, "begins with the line: ")
			header, _, _ = strings.Cut(header, "\n")
			content := header + "\nprint(\"hi\")\n"
			answer := p.use("edit_file", edit("h.py", "", content))
			if failed(answer) {
				if !named(answer, "write_file") {
					p.giveUp(answer)
				}
				p.insist("write_file", object{"path": "h.py", "content": content})
			}
		}},
		{task: "js-async", mistake: 36, about: "empty `old` for an existing file", play: func(p *player) {
			answer := p.use("edit_file", edit("l.js", "", promised))
			if failed(answer) {
				if !named(answer, "write_file") {
					p.giveUp(answer)
				}
				if answer = p.use("write_file", object{"path": "l.js", "content": promised}); failed(answer) {
					p.insist("read_file", object{"path": "l.js"})
					p.insist("write_file", object{"path": "l.js", "content": promised})
				}
			}
		}},
		{task: "py-fix", mistake: 37, about: "`old` equal to `new`", play: func(p *player) {
			answer := p.use("edit_file", edit("f.py", "a-b", "a-b"))
			if !failed(answer) || !same.MatchString(answer) {
				p.giveUp(answer)
			}
			p.insist("edit_file", edit("f.py", "a-b", "a+b"))
		}},
		{task: "go-build", mistake: 38, about: "edit that was already made", play: func(p *player) {
			remove := edit("main.go", "import (\n\t\"fmt\"\n\t\"os\"\n)", "import \"fmt\"")
			p.insist("edit_file", remove)
			if answer := p.use("edit_file", remove); failed(answer) && !already.MatchString(answer) {
				p.giveUp(answer) // it would report that the import could not be removed
			}
		}},
		{task: "py-dup", mistake: 39, about: "`old` with two places", play: func(p *player) {
			answer := p.use("edit_file", edit("f.py", " return 1", " return 2"))
			if !failed(answer) || !repeats.MatchString(answer) {
				p.giveUp(answer)
			}
			p.insist("edit_file", edit("f.py", "def g():\n return 1", "def g():\n return 2"))
		}},
		{task: "sh-mode", mistake: 41, about: "`... rest unchanged ...` in `content`", source: "gemini-cli#19858", play: func(p *player) {
			p.insist("read_file", object{"path": "run.sh"})
			start := "#!/bin/sh\n[ $# -gt 0 ] || exit 3\n"
			if answer := p.use("write_file", object{"path": "run.sh", "content": start + "# ... rest unchanged ...\n"}); failed(answer) {
				p.insist("write_file", object{"path": "run.sh", "content": start + "echo $1\n"})
			}
			p.insist("shell", object{"command": "chmod +x run.sh"})
		}},
	}
}

const promised = "const fs=require(\"fs\").promises;exports.load=async p=>JSON.parse(await fs.readFile(p,\"utf8\"))\n"
