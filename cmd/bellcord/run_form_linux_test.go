package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func init() { //nolint:gochecknoinits // it makes the test binary the MCP server of the test below, before TestMain runs
	if os.Getenv("BELLCORD_TEST_ASKS_FORM") != "" {
		askForm()
		os.Exit(0)
	}
}

// askForm is an MCP server on stdio. Its only tool asks the user for values and
// returns the reply as it was received.
func askForm() {
	const (
		hello = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"asks","version":"1"}}`
		tools = `{"tools":[{"name":"deploy","description":"Deploys","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
		form  = `{"message":"Where to?","requestedSchema":{"type":"object","required":["env","count"],"properties":{` +
			`"env":{"type":"string","enum":["dev","prod"]},"count":{"type":"integer","minimum":1,"default":3},"note":{"type":"string"}}}}`
	)
	var call json.RawMessage // id of the call in progress
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch {
		case m.Method == "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, hello)
		case m.Method == "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, tools)
		case m.Method == "tools/call":
			call = m.ID
			fmt.Printf(`{"jsonrpc":"2.0","id":"form","method":"elicitation/create","params":%s}`+"\n", form)
		case m.Method == "" && string(m.ID) == `"form"`:
			text, _ := json.Marshal("received " + string(m.Result))
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`+"\n", call, text)
		}
	}
}

func TestRun_FormOnTerminal_AsksEachFieldAndReturnsTheValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		steps [][2]string // what the terminal shows, then what is typed
		want  []string
	}{
		{
			"filled in",
			[][2]string{{"[y]: fill it in", "y\n"}, {"1/3 env", "nowhere\n"}, {"1/3 env", "prod\n"}, {"2/3 count", "0\n"}, {"2/3 count", "\n"}, {"3/3 note", "as agreed\n"}},
			[]string{`"action":"accept"`, `"env":"prod"`, `"count":3`, `"note":"as agreed"`},
		},
		{"declined", [][2]string{{"[y]: fill it in", "\n"}}, []string{`"action":"decline"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			config := filepath.Join(w.dir, "form.toml")
			command := fmt.Sprintf("BELLCORD_TEST_MAIN= BELLCORD_TEST_ASKS_FORM=1 exec '%s'", os.Args[0])
			if err := os.WriteFile(config, fmt.Appendf(nil, "[mcp.asks]\ncommand = [\"sh\", \"-c\", %q]\ntrust_hints = true\nwithout_sandbox = true\n", command), 0o600); err != nil {
				t.Fatal(err)
			}
			p := w.onTerminal("run", "--config", config, "[tool mcp_asks_deploy {}]")
			p.sees("Where to?")
			shown := 0
			for _, step := range test.steps {
				comesTrue(t, "the terminal asks "+step[0], func() bool { return strings.Contains(p.shown()[shown:], step[0]) })
				shown = len(p.shown())
				p.types(step[1])
			}
			p.ends()
			for _, want := range test.want {
				if !strings.Contains(strings.ReplaceAll(p.raw(), "\r\n", "\n"), want) {
					t.Errorf("the server did not receive %s; the terminal shows\n%s", want, p.shown())
				}
			}
		})
	}
}
