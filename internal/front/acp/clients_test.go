package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// recordedClient is a file of testdata/clients; its README describes the members.
type recordedClient struct {
	Client, Source, Unknown string

	Frame        obj
	Initialize   obj
	Variants     []obj
	Authenticate bool
	NewSession   json.RawMessage
	Prompt       json.RawMessage
	Written      json.RawMessage
	Cancel       []json.RawMessage
	Later        []struct {
		Method string
		Params json.RawMessage
	}

	can capabilities
}

// capabilities are those of a client that change what Bellcord sends.
type capabilities struct {
	FS struct{ ReadTextFile, WriteTextFile bool }

	Terminal    bool
	Elicitation struct{ Form *obj }
	Meta        struct {
		Terminals bool `json:"terminal_output"`
	} `json:"_meta"`
}

// eachClient runs play for every recorded client, with each of its variants.
func eachClient(t *testing.T, play func(t *testing.T, c recordedClient)) {
	t.Helper()
	files, err := filepath.Glob("testdata/clients/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d clients, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c recordedClient
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if c.Client == "" || c.Source == "" || c.Unknown == "" {
			t.Errorf("%s does not have its client, its source and what is unknown", file)
		}
		own, _ := c.Initialize["clientCapabilities"].(obj)
		for i, can := range append([]obj{own}, c.Variants...) {
			variant := c
			variant.Initialize = obj{"clientCapabilities": can}
			for name, value := range c.Initialize {
				if name != "clientCapabilities" {
					variant.Initialize[name] = value
				}
			}
			if err := json.Unmarshal([]byte(text(can)), &variant.can); err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%s %d", c.Client, i), func(t *testing.T) {
				t.Parallel()
				play(t, variant)
			})
		}
	}
}

func TestClients_NativeAgent_UsesWhatTheClientOffers(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c recordedClient) {
		p := openClient(t, c, "")
		p.greet()
		p.work(`[tool write_file {"path":"made.txt","content":"made\n"}] [then [tool read_file {"path":"made.txt"}] [then [tool shell {"command":"echo terminal-mark"}] [then [say done]]]]`)
		p.check("fs/write_text_file", c.can.FS.WriteTextFile)
		p.check("fs/read_text_file", c.can.FS.ReadTextFile)
		for _, method := range []string{"terminal/create", "terminal/output", "terminal/release"} {
			p.check(method, c.can.Terminal)
		}
		p.checkFile(!c.can.FS.WriteTextFile)
		if shown := strings.Join(updatesOf(p.all()), "\n"); !strings.Contains(shown, "terminal-mark") || !strings.Contains(shown, "done") {
			t.Errorf("shown\n%s\nwithout the output of the command and the answer", shown)
		}
		p.stop(`[tool shell {"command":"sleep 60"}]`)
		p.continueLater()
	})
}

func TestClients_HostedAgent_UsesWhatTheClientOffers(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c recordedClient) {
		record := t.TempDir()
		p := openClient(t, c, record)
		p.greet()
		p.work("WORK")
		p.check("fs/write_text_file", c.can.FS.WriteTextFile)
		p.check("fs/read_text_file", c.can.FS.ReadTextFile)
		p.checkFile(!c.can.FS.WriteTextFile)
		p.check("elicitation/create", c.can.Elicitation.Form != nil)
		p.check("terminal/create", false) // terminals of a hosted agent are Bellcord's
		shown := strings.Join(updatesOf(p.all()), "\n")
		if displayed := strings.Contains(shown, `"terminal_info"`) && strings.Contains(shown, `"terminal_output"`); displayed != (c.can.Terminal && c.can.Meta.Terminals) {
			t.Errorf("a terminal is displayed: %t\n%s", displayed, shown)
		}
		if strings.Contains(shown, "terminal-mark") != c.can.Terminal {
			t.Errorf("the client has terminals: %t; shown\n%s", c.can.Terminal, shown)
		}
		p.checkAgent(record)
		p.stop("WAIT")
		p.continueLater()
	})
}

// checkAgent compares what the hosted agent received with what the client sent.
func (p *clientPlayer) checkAgent(record string) {
	p.t.Helper()
	received := func(name string) (params obj) {
		data, err := os.ReadFile(filepath.Join(record, name))
		if err != nil {
			p.t.Fatal(err)
		}
		if err := json.Unmarshal(data, &params); err != nil {
			p.t.Fatal(err)
		}
		return params
	}
	hello := received("initialize")
	want := p.client.Initialize["clientCapabilities"].(obj)
	got, _ := hello["clientCapabilities"].(obj)
	for name, value := range want {
		if name != "fs" && !reflect.DeepEqual(got[name], value) {
			p.t.Errorf("the agent received the capability %s as %v, want %v", name, got[name], value)
		}
	}
	if info := p.client.Initialize["clientInfo"]; info != nil && !reflect.DeepEqual(hello["clientInfo"], info) {
		p.t.Errorf("the agent received clientInfo %v, want %v", hello["clientInfo"], info)
	}
	if p.client.Authenticate && received("authenticate")["methodId"] != "login" {
		p.t.Errorf("the agent received the login %v", received("authenticate"))
	}
	if sent := p.fill(p.client.NewSession, "").(obj); !reflect.DeepEqual(received("session-new")["mcpServers"], sent["mcpServers"]) {
		p.t.Errorf("the agent received the MCP servers %v, want %v", received("session-new")["mcpServers"], sent["mcpServers"])
	}
	if blocks := p.fill(p.client.Prompt, "WORK"); !reflect.DeepEqual(received("session-prompt")["prompt"], blocks) {
		p.t.Errorf("the agent received the prompt\n%s\nwant\n%s", text(received("session-prompt")["prompt"]), text(blocks))
	}
}

// Every recipe for a recorded client states that it was not run, and every
// recorded client has a recipe.
func TestClients_Recipes_AreMarkedAsNotRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/editor.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(page), "\n## ")
	files, _ := filepath.Glob("testdata/clients/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c recordedClient
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, c.Client+"\n") })
		if i < 0 || !strings.Contains(sections[i], "*Not run here*") {
			t.Errorf("docs/editor.md has no section %q that is marked *Not run here*", c.Client)
		}
	}
}
