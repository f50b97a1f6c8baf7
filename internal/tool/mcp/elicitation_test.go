package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

// person answers questions with a function.
type person struct {
	ask func(ctx context.Context, q bellcord.Question) (bellcord.Reply, error)

	done chan bellcord.Reply // answers in place of the person
}

func (p *person) AskForm(ctx context.Context, q bellcord.Question) (bellcord.Reply, error) {
	return p.ask(ctx, q)
}

func (p *person) Answer(_ string, r bellcord.Reply, _ string) error {
	p.done <- r
	return nil
}

// elicits opens a server that sends an elicitation during each call, and returns
// the client's response as the result of the call. Each call has a different id.
func elicits(t *testing.T, params string, more ...string) (*scripted, *mcp.Set) {
	t.Helper()
	var server *scripted
	var mu sync.Mutex
	var call request
	server, set := openScripted(t, func(req request) []string {
		switch {
		case req.Method == "tools/list":
			return []string{result(req, `{"tools":[`+toolList("do")+`]}`)}
		case req.Method == "tools/call":
			mu.Lock()
			call = req
			mu.Unlock()
			return append([]string{fmt.Sprintf(`{"jsonrpc":"2.0","id":"e%s","method":"elicitation/create","params":%s}`, req.ID, params)}, more...)
		case req.Method == "" && strings.HasPrefix(string(req.ID), `"e`):
			mu.Lock()
			defer mu.Unlock()
			return []string{textResult(call, server.last(string(req.ID)))}
		}
		return nil
	})
	return server, set
}

// last returns the message with the given id that was sent last.
func (s *scripted) last(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := ""
	for _, line := range s.sent {
		if strings.Contains(line, `"id":`+id) {
			found = line
		}
	}
	return found
}

const whereParams = `{"mode":"form","message":"Where?","requestedSchema":{"type":"object","properties":{"count":{"type":"integer"},"env":{"type":"string","enum":["dev","prod"]}},"required":["env"]}}`

func TestElicitation_DuringACall_ReachesTheTurnAndItsAnswerTheServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply bellcord.Reply
		want  string
	}{
		{bellcord.Reply{Choice: "accept", Values: map[string]json.RawMessage{"env": json.RawMessage(`"dev"`), "count": json.RawMessage(`3`)}}, `"result":{"action":"accept","content":{"count":3,"env":"dev"}}`},
		{bellcord.Reply{Choice: "decline"}, `"result":{"action":"decline"}`},
		{bellcord.Reply{Choice: "cancel"}, `"result":{"action":"cancel"}`},
	} {
		_, set := elicits(t, whereParams)
		asker := &person{ask: func(_ context.Context, q bellcord.Question) (bellcord.Reply, error) {
			if q.Text != "The MCP server fake asks: Where?" || len(q.Fields) != 2 || q.Fields[0].Name != "env" || !q.Fields[0].Required {
				t.Errorf("question %+v", q)
			}
			return c.reply, nil
		}}
		r := tools(t, set)["mcp_fake_do"].Run(within(t), tool.Call{Turn: "t1", Args: json.RawMessage(`{}`), Asker: asker})
		if r.Failed || !strings.Contains(r.Text, c.want) {
			t.Errorf("the server received %s, want %s", r.Text, c.want)
		}
	}
}

func TestElicitation_Capability_IsDeclared(t *testing.T) {
	t.Parallel()
	server, set := elicits(t, whereParams)
	tools(t, set)
	server.mu.Lock()
	defer server.mu.Unlock()
	if all := strings.Join(server.sent, ""); !strings.Contains(all, `"elicitation":{"form":{},"url":{}}`) {
		t.Errorf("sent %s", all)
	}
}

func TestElicitation_NobodyToAskOrASecret_IsRefused(t *testing.T) {
	t.Parallel()
	never := &person{ask: func(context.Context, bellcord.Question) (bellcord.Reply, error) {
		t.Error("a question was shown")
		return bellcord.Reply{}, nil
	}}
	for _, c := range []struct {
		name, params string
		asker        tool.Asker
		want         string
	}{
		{"nobody", whereParams, nil, `"action":"decline"`},
		{"a secret", `{"message":"?","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`, never, "secrets are only requested by URL"},
		{"a URL of a file", `{"mode":"url","message":"?","elicitationId":"p","url":"file:///etc/passwd"}`, never, "not an http or https URL"},
	} {
		_, set := elicits(t, c.params)
		r := tools(t, set)["mcp_fake_do"].Run(within(t), tool.Call{Turn: "t1", Args: json.RawMessage(`{}`), Asker: c.asker})
		if !strings.Contains(r.Text, c.want) {
			t.Errorf("%s: the server received %s, want %s", c.name, r.Text, c.want)
		}
	}
}

func TestElicitation_OutsideOfACall_IsDeclined(t *testing.T) {
	t.Parallel()
	server, set := elicits(t, whereParams)
	tools(t, set)
	server.writeLines(`{"jsonrpc":"2.0","id":"alone","method":"elicitation/create","params":` + whereParams + `}`)
	eventually(t, "it is declined", func() bool { return strings.Contains(server.last(`"alone"`), `"action":"decline"`) })
}

// The protocol does not name the call of a question, so with calls of two turns
// the question might reach the wrong user.
func TestElicitation_CallsOfTwoTurns_IsDeclined(t *testing.T) {
	t.Parallel()
	server, set := openScripted(t, func(req request) []string {
		switch req.Method {
		case "tools/list":
			return []string{result(req, `{"tools":[`+toolList("hang")+`]}`)}
		case "tools/call":
			return []string{progressOf(req, "on")}
		}
		return nil
	})
	hang := tools(t, set)["mcp_fake_hang"]
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	started := make(chan string, 2)
	for _, turn := range []bellcord.TurnID{"t1", "t2"} {
		go hang.Run(ctx, tool.Call{Turn: turn, Args: json.RawMessage(`{}`), Output: func(s string) { started <- s }, Asker: &person{
			ask: func(context.Context, bellcord.Question) (bellcord.Reply, error) {
				t.Error("a question was shown")
				return bellcord.Reply{}, nil
			},
		}})
	}
	<-started
	<-started
	server.writeLines(`{"jsonrpc":"2.0","id":"both","method":"elicitation/create","params":` + whereParams + `}`)
	eventually(t, "it is declined", func() bool { return strings.Contains(server.last(`"both"`), `"action":"decline"`) })
}

func TestElicitation_StopOrCancellation_WithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	for name, withdraw := range map[string]func(server *scripted, stop context.CancelFunc){
		"stop": func(_ *scripted, stop context.CancelFunc) { stop() },
		"cancelled by the server": func(server *scripted, _ context.CancelFunc) {
			server.writeLines(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mine"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, set := openScripted(t, func(req request) []string {
				switch req.Method {
				case "tools/list":
					return []string{result(req, `{"tools":[`+toolList("do")+`]}`)}
				case "tools/call":
					return []string{`{"jsonrpc":"2.0","id":"mine","method":"elicitation/create","params":` + whereParams + `}`}
				}
				return nil
			})
			opened, withdrawn := make(chan struct{}), make(chan struct{})
			asker := &person{ask: func(ctx context.Context, _ bellcord.Question) (bellcord.Reply, error) {
				close(opened)
				<-ctx.Done()
				close(withdrawn)
				return bellcord.Reply{}, context.Cause(ctx)
			}}
			do := tools(t, set)["mcp_fake_do"]
			ctx, stop := context.WithCancel(within(t))
			defer stop()
			go do.Run(ctx, tool.Call{Turn: "t1", Args: json.RawMessage(`{}`), Asker: asker})
			<-opened
			withdraw(server, stop)
			<-withdrawn
		})
	}
}

func TestElicitation_PageReportsThatItIsDone_ClosesTheQuestion(t *testing.T) {
	t.Parallel()
	asker := &person{done: make(chan bellcord.Reply, 1)}
	server := make(chan *scripted, 1)
	asker.ask = func(ctx context.Context, q bellcord.Question) (bellcord.Reply, error) {
		if q.URL != "https://login.example" {
			t.Errorf("question %+v", q)
		}
		(<-server).writeLines(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"p1"}}`)
		select {
		case r := <-asker.done:
			return r, nil
		case <-ctx.Done():
			return bellcord.Reply{}, ctx.Err()
		}
	}
	s, set := elicits(t, `{"mode":"url","message":"Log in","elicitationId":"p1","url":"https://login.example"}`,
		`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"other"}}`)
	server <- s
	r := tools(t, set)["mcp_fake_do"].Run(within(t), tool.Call{Turn: "t1", Args: json.RawMessage(`{}`), Asker: asker})
	if !strings.Contains(r.Text, `"action":"accept"`) {
		t.Errorf("the server received %s", r.Text)
	}
}

func TestElicitation_Flood_IsLimited(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":"f%d","method":"elicitation/create","params":%s}`, i, whereParams))
	}
	server, set := openScripted(t, func(req request) []string {
		switch req.Method {
		case "tools/list":
			return []string{result(req, `{"tools":[`+toolList("do")+`]}`)}
		case "tools/call":
			return lines
		}
		return nil
	})
	var mu sync.Mutex
	open, most := 0, 0
	asker := &person{ask: func(ctx context.Context, _ bellcord.Question) (bellcord.Reply, error) {
		mu.Lock()
		open++
		most = max(most, open)
		mu.Unlock()
		<-ctx.Done()
		mu.Lock()
		open-- // a stop withdraws questions, and others may be asked until the call has ended
		mu.Unlock()
		return bellcord.Reply{}, context.Cause(ctx)
	}}
	do := tools(t, set)["mcp_fake_do"]
	ctx, stop := context.WithCancel(within(t))
	ended := make(chan tool.Result, 1)
	go func() {
		ended <- do.Run(ctx, tool.Call{Turn: "t1", Args: json.RawMessage(`{}`), Asker: asker})
	}()
	eventually(t, "eight questions are open, and the rest is refused", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return open == 8 && strings.Contains(server.last(`"f8"`), "not supported")
	})
	stop()
	if r := <-ended; r.Fate != bellcord.CallStopped {
		t.Errorf("%+v", r)
	}
	mu.Lock()
	defer mu.Unlock()
	if most != 8 {
		t.Errorf("%d questions were open at the same time, not 8", most)
	}
}
