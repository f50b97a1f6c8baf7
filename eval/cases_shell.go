package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

// shellCases contains wrong expectations of commands.
func shellCases() []testCase {
	return []testCase{
		{task: "stop-truth", mistake: 11, about: "`description` in a call that is then stopped", play: func(p *player) {
			p.insist("shell", object{"command": "sh slow.sh", "description": "Run the script"})
			p.afterStop()
		}},
		{task: "md-links", mistake: 53, about: "`cd` for later commands", play: func(p *player) {
			first := p.use("shell", object{"command": "cd docs"})
			command := "sed -i s/old.md/new.md/g ../README.md"
			second := ""
			if !newState.MatchString(first) {
				second = p.use("shell", object{"command": command})
			}
			if !newState.MatchString(first + second) {
				p.giveUp(second)
			}
			p.insist("shell", object{"command": "cd docs && " + command})
		}},
		{task: "sh-prompt", mistake: 54, about: "`export` for later commands", play: func(p *player) {
			first := p.use("shell", object{"command": "export OUT=out.txt"})
			command := `echo y | sh ask.sh > "$OUT"`
			second := ""
			if !newState.MatchString(first) {
				second = p.use("shell", object{"command": command})
			}
			if !newState.MatchString(first + second) {
				p.giveUp(second)
			}
			p.insist("shell", object{"command": "export OUT=out.txt; " + command})
		}},
		{task: "go-test", mistake: 55, about: "`git commit` that opens an editor", source: "pi#9936, gemini-cli#13590, claude-code#27136, crush#3025", setup: "git config user.name u; git config user.email u@e; git config core.editor 'sleep 600; false'", play: func(p *player) {
			p.insist("edit_file", edit("s.go", "for i := range", "for _, i := range"))
			p.use("shell", object{"command": "git commit -a"})
		}},
		{task: "js-multi", mistake: 56, about: "syntax of bash", play: func(p *player) {
			p.insist("shell", object{"command": "for f in v{1,2,3}.js; do sed -i s/var/let/g $f || exit 1; done"})
		}},
		{task: "sh-server", mistake: 57, about: "`&` to keep a server", play: func(p *player) {
			serve := "echo $$ > server.pid; exec python3 -m http.server 8791"
			answer := p.use("shell", object{"command": "(" + serve + ") > server.log 2>&1 &"})
			if named(answer, "background") {
				answer = p.insist("shell", object{"command": serve, "background": true})
			}
			p.insist("shell", object{"command": get8791})
			if pid := startedPID.FindStringSubmatch(answer); pid != nil && named(answer, "end_command") {
				p.insist("end_command", object{"pid": json.Number(pid[1])})
				return
			}
			p.insist("shell", object{"command": "kill $(cat server.pid); while kill -0 $(cat server.pid) 2>/dev/null; do sleep 0.1; done"})
		}},
		{task: "sh-prompt", mistake: 58, about: "`timeout` in milliseconds", play: func(p *player) {
			p.use("shell", object{"command": "tail -f /dev/null | sh ask.sh > out.txt", "timeout": 5000})
			p.insist("shell", object{"command": "echo y | sh ask.sh > out.txt"})
		}},
		{task: "go-long", mistake: 59, about: "output of 500 KB", setup: filler, play: func(p *player) {
			out := p.insist("shell", object{"command": "cat k.go"})
			if !strings.Contains(out, "const K2417 = 0") {
				path := outputFile.FindString(out)
				if path == "" {
					p.giveUp(out)
				}
				found := p.insist("grep", object{"pattern": "K2417", "path": path})
				if !strings.Contains(found, "const K2417 = 0") {
					p.giveUp(found)
				}
			}
			p.insist("edit_file", edit("k.go", "const K2417 = 0", "const K2417 = 7"))
		}},
	}
}

// startedPID matches the result of a command in the background.
var startedPID = regexp.MustCompile(`in the background, pid (\d+)`)

// get8791 saves the file of sh-server, and tries for up to five seconds.
const get8791 = `python3 - <<'EOF'
import http.client, time
for i in range(50):
    try:
        c = http.client.HTTPConnection("127.0.0.1", 8791)
        c.request("GET", "/i.txt")
        open("got.txt", "wb").write(c.getresponse().read())
        break
    except OSError:
        time.sleep(0.1)
else:
    raise SystemExit("no connection to port 8791")
EOF`

// afterStop answers the question of stop-truth from the record of the stopped
// call. The script continues here in the second turn.
func (p *player) afterStop() {
	answer := "yes"
	for _, m := range p.messages {
		if m.role == "tool" && (strings.Contains(m.text, "stopped") || strings.Contains(m.text, "interrupted")) {
			answer = "no"
		}
	}
	p.insist("write_file", object{"path": "s.txt", "content": answer + "\n"})
}
