//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// editing is the program that an editor starts. It handles one request at a time.
type editing struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Scanner
	last int
}

func (n *newcomer) edits() *editing {
	n.t.Helper()
	cmd := exec.Command(os.Args[0], "acp")
	cmd.Dir = n.home
	cmd.Env = append([]string{"BELLCORD_TEST_MAIN=1", "HOME=" + n.home}, n.env...)
	cmd.Stderr = n.t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	e := &editing{t: n.t, in: in, out: bufio.NewScanner(out)}
	e.out.Buffer(nil, 1<<20)
	n.t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			n.t.Error(err)
		}
	})
	return e
}

type editorAnswer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// request sends a request and returns the answer, and the lines that came before it.
func (e *editing) request(method, params string) (editorAnswer, string) {
	e.t.Helper()
	e.last++
	if _, err := fmt.Fprintf(e.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", e.last, method, params); err != nil {
		e.t.Fatal(err)
	}
	var before strings.Builder
	for e.out.Scan() {
		var a editorAnswer
		if err := json.Unmarshal(e.out.Bytes(), &a); err != nil {
			e.t.Fatalf("%s: %v", e.out.Text(), err)
		}
		if a.ID == e.last {
			return a, before.String()
		}
		before.WriteString(e.out.Text() + "\n")
	}
	e.t.Fatalf("no answer to %s: %v", method, e.out.Err())
	return editorAnswer{}, ""
}

func TestACP_NoConfiguration_OffersSetup(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	e := n.edits()
	hello, _ := e.request("initialize", `{"protocolVersion":1}`)
	if !strings.Contains(string(hello.Result), `"id":"setup"`) {
		t.Errorf("it says hello with %s", hello.Result)
	}
	opens := fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, n.home)
	if a, _ := e.request("session/new", opens); a.Error == nil || a.Error.Code != -32000 {
		t.Errorf("a session without a model is answered %+v", a)
	}
	if a, _ := e.request("authenticate", `{"methodId":"setup"}`); a.Error != nil {
		t.Fatalf("setting up: %+v", a.Error)
	}
	a, _ := e.request("session/new", opens)
	var made struct {
		Session string `json:"sessionId"`
	}
	if err := json.Unmarshal(a.Result, &made); err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	ended, updates := e.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"[say hello there]"}]}`, made.Session))
	if !strings.Contains(string(ended.Result), "end_turn") || !strings.Contains(updates, "hello") {
		t.Errorf("answered %s behind\n%s", ended.Result, updates)
	}
}

func TestACP_ConfigurationWrittenMeanwhile_IsUsed(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	e := n.edits()
	opens := fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, n.home)
	if a, _ := e.request("session/new", opens); a.Error == nil {
		t.Fatalf("a session without a model is answered %s", a.Result)
	}
	if _, errs, code := n.types("init"); code != 0 {
		t.Fatal(errs)
	}
	if a, _ := e.request("authenticate", `{"methodId":"setup"}`); a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	if a, _ := e.request("session/new", opens); a.Error != nil {
		t.Errorf("%+v", a.Error)
	}
}

func TestACP_ConfigurationWithoutModel_IsNotOverwritten(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	file := filepath.Join(n.home, "own.toml")
	n.env = append(n.env, "BELLCORD_CONFIG="+file)
	if err := os.WriteFile(file, []byte("mode = \"full\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := n.edits().request("authenticate", `{"methodId":"setup"}`)
	if a.Error == nil || !strings.Contains(a.Error.Message, "no model in "+file) {
		t.Errorf("answered %+v", a)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != "mode = \"full\"\n" {
		t.Errorf("the file is now %q, %v", now, err)
	}
}
