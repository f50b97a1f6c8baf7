package drive

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The names of the editor's MCP servers.
const (
	stdioServer = "belltower"
	httpServer  = "bellweb"
)

// The names of the tools of the editor's MCP servers. Agents add the name of the server in
// different ways, so each is unique.
const (
	toolOfStdio = "bell_stdio"
	toolOfHTTP  = "bell_http"
	toolAsking  = "bell_asks"
)

// pong is the result of a tool of an MCP server.
func pong(tool string) string { return "PONG-OF-" + tool }

// newMCPServer returns an MCP server with one tool, and one that asks the person if asks is set.
func newMCPServer(name, tool string, asks bool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	noArguments := object{"type": "object", "properties": object{}}
	s.AddTool(&mcp.Tool{Name: tool, Description: "Rings a bell.", InputSchema: noArguments}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: pong(tool)}}}, nil
	})
	if asks {
		s.AddTool(&mcp.Tool{Name: toolAsking, Description: "Asks which bell to ring.", InputSchema: noArguments}, askWhichBell)
	}
	return s
}

// askWhichBell returns a question first, and a result when it has the answer. The SDK asks clients
// with an older protocol itself.
func askWhichBell(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answer, answered := r.Params.InputResponses["bell"].(*mcp.ElicitResult)
	if !answered {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"bell": &mcp.ElicitParams{
			Mode: "form", Message: "Which bell?", RequestedSchema: object{"type": "object", "properties": object{"bell": object{"type": "string"}}},
		}}}, nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: pong(toolAsking) + " " + answer.Action}}}, nil
}

// ServeMCP is this program as an MCP server on stdio.
func ServeMCP(ctx context.Context) error {
	return newMCPServer(stdioServer, toolOfStdio, true).Run(ctx, &mcp.StdioTransport{})
}

// ListenMCP serves MCP over HTTP and returns the URL.
func ListenMCP() (*http.Server, string, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newMCPServer(httpServer, toolOfHTTP, false) }, nil)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // until Close
	return server, "http://" + listener.Addr().String() + "/mcp", nil
}

// mcpServers returns the servers as an editor names them: http only if the agent offers it.
func (v *Visit) mcpServers(hello object) []object {
	servers := []object{}
	if command := v.place.MCP; len(command) > 0 {
		servers = append(servers, object{"name": stdioServer, "command": command[0], "args": command[1:], "env": []object{{"name": "BELLTOWER", "value": "1"}}})
	}
	if v.place.MCPURL != "" && isSet(at(hello, "agentCapabilities", "mcpCapabilities", "http")) {
		servers = append(servers, object{"type": "http", "name": httpServer, "url": v.place.MCPURL, "headers": []object{}})
	}
	return servers
}
