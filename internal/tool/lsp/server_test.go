package lsp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary run as a language server. The server finds an error
// in every line that contains the word "wrong", and in the file uses.txt if the text of
// another file does not contain "declared".
func TestMain(m *testing.M) {
	if kind := os.Getenv("LSP_SERVER"); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// scripted is a language server with one way to report errors or one defect.
type scripted struct {
	kind string
	in   *bufio.Reader
	uses string // address of uses.txt
}

func serve(kind string) {
	s := &scripted{kind: kind, in: bufio.NewReader(os.Stdin)}
	if kind == "silent" { // a child that would outlive the server
		child := exec.Command("sleep", "1000")
		_ = child.Start()
		_ = os.WriteFile("child", []byte(strconv.Itoa(child.Process.Pid)), 0o600)
	}
	for {
		body, err := s.read()
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				RootURI      string
				TextDocument struct {
					URI, Text string
					Version   int
				}
				ContentChanges []struct{ Text string }
			}
		}
		if err := json.Unmarshal(body, &m); err != nil {
			return
		}
		switch m.Method {
		case "initialize":
			s.uses = m.Params.RootURI + "/uses.txt"
			provider := ""
			if kind == "pull" {
				provider = `"diagnosticProvider":{"interFileDependencies":true}`
			}
			s.send(`{"jsonrpc":"2.0","id":99,"method":"workspace/configuration","params":{"items":[{},{}]}}`)
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{%s}}}`, m.ID, provider))
		case "textDocument/didOpen":
			s.changed(m.Params.TextDocument.URI, m.Params.TextDocument.Version, m.Params.TextDocument.Text)
		case "textDocument/didChange":
			s.changed(m.Params.TextDocument.URI, m.Params.TextDocument.Version, m.Params.ContentChanges[0].Text)
		case "textDocument/didClose":
			if kind == "versions" { // as gopls: published once more, without a version
				s.publish(m.Params.TextDocument.URI, 0, nil)
			}
		case "textDocument/diagnostic":
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"kind":"full","items":%s}}`, m.ID, encoded(pulled)))
		}
	}
}

var pulled []string // lines with errors of the text that was received last

func (s *scripted) changed(uri string, version int, text string) {
	var lines []string
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "wrong") {
			lines = append(lines, fmt.Sprintf("%d %s", i, line))
		}
	}
	pulled = lines
	switch s.kind {
	case "pull", "silent":
		return
	case "crash":
		os.Exit(1)
	case "endless header":
		_, _ = os.Stdout.WriteString(strings.Repeat("x", 1<<20))
		return
	case "plain":
		version = 0
	}
	if version > 0 { // an outdated list first, as a busy server sends it
		s.publish(uri, version-1, []string{"0 outdated"})
		<-time.After(20 * time.Millisecond)
	}
	s.publish(uri, version, lines)
	var broken []string
	if !strings.Contains(text, "declared") {
		broken = []string{"4 not declared"}
	}
	s.publish(s.uses, 0, broken)
}

func (s *scripted) publish(uri string, version int, lines []string) {
	given := ""
	if version > 0 {
		given = fmt.Sprintf(`"version":%d,`, version)
	}
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":%q,%s"diagnostics":%s}}`, uri, given, encoded(lines)))
}

// encoded returns the lines as diagnostics, each with a warning that is not an error.
func encoded(lines []string) string {
	all := []string{`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":2,"message":"a warning"}`}
	for _, line := range lines {
		number, text, _ := strings.Cut(line, " ")
		all = append(all, fmt.Sprintf(`{"range":{"start":{"line":%s,"character":0},"end":{"line":%s,"character":1}},"severity":1,"message":%q}`, number, number, text))
	}
	return "[" + strings.Join(all, ",\n") + "]"
}

func (s *scripted) send(body string) {
	fmt.Printf("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func (s *scripted) read() ([]byte, error) {
	size := 0
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == "\r\n" {
			body := make([]byte, size)
			_, err := io.ReadFull(s.in, body)
			return body, err
		}
		_, _ = fmt.Sscanf(line, "Content-Length: %d", &size)
	}
}
