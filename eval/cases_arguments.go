package main

import (
	"encoding/json"
	"strings"
)

// argumentCases contains wrong paths and wrong arguments.
func argumentCases() []testCase {
	return []testCase{
		{task: "crlf", mistake: 1, about: "absolute path inside the directory", play: func(p *player) {
			p.insist("edit_file", edit(p.dir+"/c.txt", "two", "2"))
		}},
		{task: "py-fix", mistake: 2, about: "`/workspace/f.py` for `f.py`", play: func(p *player) {
			p.insist("edit_file", edit("/workspace/f.py", "a-b", "a+b"))
		}},
		{task: "md-links", mistake: 3, about: "`a/README.md`, as in a diff", play: func(p *player) {
			p.insist("edit_file", object{"path": "a/README.md", "old": "docs/old.md", "new": "docs/new.md", "all": true})
		}},
		{task: "py-dup", mistake: 4, about: "`f.py:4` as path", play: func(p *player) {
			if text := p.insist("read_file", object{"path": "f.py:4"}); !strings.Contains(text, "return 1") {
				p.giveUp(text)
			}
			p.insist("edit_file", edit("f.py", "def g():\n return 1", "def g():\n return 2"))
		}},
		{task: "js-eq", mistake: 5, about: "`M.js` for `m.js`", play: func(p *player) {
			p.insist("edit_file", edit("M.js", "==", "==="))
		}},
		{task: "find", mistake: 6, about: "directory given to `read_file`", play: func(p *player) {
			listing := p.use("read_file", object{"path": "src/d"})
			if failed(listing) && named(listing, "list_dir") {
				listing = p.use("list_dir", object{"path": "src/d"})
			}
			if !strings.Contains(listing, "17.js") {
				p.giveUp(listing)
			}
			p.insist("write_file", object{"path": "answer.txt", "content": "src/d/17.js\n"})
		}},
		{task: "find", mistake: 7, about: "path `undefined`", play: func(p *player) {
			p.answerWithFile(p.insist("grep", object{"pattern": "function needle", "path": "undefined"}))
		}},
		{task: "go-addtest", mistake: 8, about: "`file_path` for `path`", play: func(p *player) {
			p.insist("write_file", object{"file_path": "a_test.go", "content": "package m\n\nimport \"testing\"\n\nfunc TestAbsNegative(t *testing.T) {\n\tif Abs(-2) != 2 {\n\t\tt.Fatal()\n\t}\n}\n"})
		}},
		{task: "py-fix", mistake: 9, about: "`old_string`, `new_string`", play: func(p *player) {
			p.insist("edit_file", object{"path": "f.py", "old_string": "a-b", "new_string": "a+b"})
		}},
		{task: "js-multi", mistake: 10, about: "`replace_all` for `all`", play: func(p *player) {
			for _, path := range []string{"v1.js", "v2.js", "v3.js"} {
				p.insist("edit_file", object{"path": path, "old": "var", "new": "let", "replace_all": true})
			}
		}},
		{task: "go-new", mistake: 11, about: "additional `description`", play: func(p *player) {
			p.insist("write_file", object{"path": "rev.go", "description": "Write Reverse", "content": reverse})
		}},
		{task: "find", mistake: 12, about: "unknown key `regex`", play: func(p *player) {
			p.answerWithFile(p.insist("grep", object{"regex": "function needle", "path": "src"}))
		}},
		{task: "py-dup", mistake: 13, about: "numbers as strings", play: func(p *player) {
			text := p.insist("read_file", object{"path": "f.py", "offset": "3", "limit": "2"})
			if !strings.Contains(text, "def g") || strings.Contains(text, "def f") {
				p.giveUp(text)
			}
			p.insist("edit_file", edit("f.py", "def g():\n return 1", "def g():\n return 2"))
		}},
		{task: "bom", mistake: 14, about: "`null` for optional arguments", play: func(p *player) {
			p.insist("read_file", object{"path": "b.json", "offset": nil, "limit": nil})
			p.insist("edit_file", object{"path": "b.json", "old": "1", "new": "2", "all": nil})
		}},
		{task: "js-multi", mistake: 15, about: "list of edits as a JSON string", source: "OC#7512", play: func(p *player) {
			for _, path := range []string{"v1.js", "v2.js", "v3.js"} {
				edits := []object{{"old": "var x", "new": "let x"}, {"old": "var y", "new": "let y"}}
				answer := p.use("edit_file", object{"path": path, "edits": marshal(edits)})
				if failed(answer) && unknownName.MatchString(answer) && !named(answer, "old") {
					answer = p.use("edit_file", object{"path": path}) // it removes the key that the answer rejects
				}
				if failed(answer) {
					if !named(answer, "old") {
						p.giveUp(answer)
					}
					p.insist("edit_file", edit(path, "var x", "let x"))
					p.insist("edit_file", edit(path, "var y", "let y"))
				}
			}
		}},
		{task: "js-json", mistake: 16, about: "object as `content`", play: func(p *player) {
			p.insist("read_file", object{"path": "package.json"})
			p.insist("write_file", object{"path": "package.json", "content": json.RawMessage(`{"name":"x","version":"1.0.0","scripts":{"test":"node t.js"}}`)})
		}},
		{task: "go-fmt", mistake: 17, about: "list of words as `command`", play: func(p *player) {
			p.insist("shell", object{"command": []string{"bash", "-lc", "gofmt -w ."}})
		}},
	}
}

// reverse is the solution of go-new.
const reverse = "package m\n\nfunc Reverse(s string) string {\n\tr := []rune(s)\n\tfor i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {\n\t\tr[i], r[j] = r[j], r[i]\n\t}\n\treturn string(r)\n}\n"

// answerWithFile writes the first file of a search result to answer.txt, as a
// model does that trusts the result.
func (p *player) answerWithFile(result string) {
	path := "none"
	if found := fileName.FindString(result); found != "" {
		path = found
	}
	p.insist("write_file", object{"path": "answer.txt", "content": path + "\n"})
}
