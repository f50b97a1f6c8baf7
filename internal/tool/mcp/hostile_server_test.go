package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// request is a message that a server reads.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		RequestID json.RawMessage `json:"requestId"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

const greeting = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`

func result(req request, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, result)
}

func textResult(req request, text string) string {
	quoted, _ := json.Marshal(text)
	return result(req, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
}

func unknown(req request) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, req.ID)
}

func progressOf(req request, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":%q}}`,
		req.Params.Meta.Token, message)
}

func toolList(names ...string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name)
	}
	return strings.Join(list, ",")
}

// hostile is a server on standard input and output. The name of the called tool
// determines what it does. It ignores cancellations.
func hostile(manner string) {
	switch manner {
	case "dead":
		os.Exit(3)
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "blind": // never reads, never exits
		<-time.After(time.Hour)
	}
	in := bufio.NewReader(os.Stdin)
	var late, seen []string // delayed answers; all received lines
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		seen = append(seen, line)
		var req request
		if json.Unmarshal([]byte(line), &req) != nil || req.ID == nil {
			continue
		}
		switch req.Method {
		case "initialize":
			fmt.Println("this is no message: a server that prints")
			fmt.Println(result(req, greeting))
		case "tools/list":
			if file, found := strings.CutPrefix(manner, "listing:"); found { // the current content of the file
				list, _ := os.ReadFile(file)
				fmt.Println(result(req, string(list)))
				continue
			}
			fmt.Println(result(req, `{"tools":[`+toolList("echo", "seen", "late", "hang", "die", "flood", "ask", "blind", "giant", "huge", "endless")+`]}`))
		case "tools/call":
			late = act(req, late, seen)
		default:
			fmt.Println(unknown(req))
		}
	}
}

func act(req request, late, seen []string) []string {
	switch req.Params.Name {
	case "echo":
		for _, answer := range late {
			fmt.Println(answer)
		}
		fmt.Println(textResult(req, "echo"+string(req.Params.Arguments)))
		return nil
	case "seen":
		fmt.Println(textResult(req, strings.Join(seen, "")))
	case "late":
		fmt.Println(progressOf(req, "running"))
		return append(late, progressOf(req, "too late"), textResult(req, "a late answer"))
	case "hang":
		fmt.Println(progressOf(req, "half done"))
	case "die":
		fmt.Println(progressOf(req, "dying"))
		os.Exit(3)
	case "giant": // 64 MiB in one line, with its ID at the end and a false one inside
		out := bufio.NewWriter(os.Stdout)
		fmt.Fprint(out, `{"result":{"id":1,"content":[{"type":"text","text":"\"id\":2`)
		fill(out, 64<<20)
		fmt.Fprintf(out, `"}]},"jsonrpc":"2.0","id":%s}`+"\n", req.ID)
		_ = out.Flush()
	case "huge":
		fmt.Println(textResult(req, strings.Repeat("huge ", 1<<20)))
	default:
		torment(req)
	}
	return late
}

// torment never returns, for the tools that it handles.
func torment(req request) {
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	switch req.Params.Name {
	case "flood":
		for {
			fmt.Fprintln(out, progressOf(req, "flood"))
			fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"flood"}}`)
			fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
	case "ask": // sends requests, and never reads the answers
		for i := 0; ; i++ {
			fmt.Fprintln(out, progressOf(req, "asking"))
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{}}`+"\n", i)
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":"p%d","method":"ping"}`+"\n", i)
		}
	case "endless": // a line without an end
		fmt.Fprintln(out, progressOf(req, "a long line comes"))
		for {
			fill(out, 1<<20)
		}
	case "blind": // stops reading
		fmt.Println(progressOf(req, "blind"))
		<-time.After(time.Hour)
	}
}

func fill(out io.Writer, n int) {
	chunk := strings.Repeat("x", 64<<10)
	for range n / len(chunk) {
		_, _ = io.WriteString(out, chunk)
	}
}
