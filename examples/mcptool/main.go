// Command mcptool gives Bellcord a custom tool: an MCP server over standard
// input and output with one tool, departures. bellcord.toml is the configuration
// that uses it.
//
//	go build -o mcptool .
//	bellcord run --config bellcord.toml --model fake/fake '[tool mcp_timetable_departures {"station":"Bern"}]'
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// query contains the tool's arguments. The SDK generates the input schema from it.
type query struct {
	Station string `json:"station" jsonschema:"name of a station, such as Bern"`
}

var timetable = map[string][]string{
	"Bern":   {"07:14 Thun", "07:32 Zürich"},
	"Zürich": {"07:30 Bern", "07:33 Chur"},
}

// departures handles a call. A stop of the turn cancels ctx: pass it to every function that takes
// time.
func departures(ctx context.Context, _ *mcp.CallToolRequest, q query) (*mcp.CallToolResult, any, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	trains, known := timetable[q.Station]
	if !known {
		return nil, nil, fmt.Errorf("unknown station %q", q.Station) // the model sees the error and can correct itself
	}
	text := &mcp.TextContent{Text: strings.Join(trains, "\n")}
	return &mcp.CallToolResult{Content: []mcp.Content{text}}, nil, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "timetable", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "departures",
		Description: "Lists the next trains from a station.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, departures)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
