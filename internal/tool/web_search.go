package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/web"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const webSearchDescription = "Search the web. Returns the title, the URL and a part of the text of each result (default 8, at most 20). Get a page with fetch."

const webSearchSchema = `{"type":"object","required":["query"],"additionalProperties":false,"properties":{` +
	`"query":{"type":"string"},"max":{"type":"integer","minimum":1,"maximum":20}}}`

const (
	defaultFound = 8
	mostFound    = 20
	mostQuery    = 400 // characters; services refuse longer queries
	mostSnippet  = 500 // characters
)

type webSearchArgs struct {
	Query string `json:"query"`
	Max   int    `json:"max"`
}

// WebSearch returns the tool that searches the web.
func WebSearch(engine web.Engine) Tool {
	return Tool{
		Tool:    llm.Tool{Name: "web_search", Description: webSearchDescription, Schema: json.RawMessage(webSearchSchema)},
		Effect:  permit.Reaches,
		Subject: named("query"),
		Question: func(args json.RawMessage) string {
			a, _ := parse[webSearchArgs](args) // checked before
			return "Search the web (" + engine.Service + ") for " + workspace.Plain(a.Query) + "?"
		},
		Check: func(args json.RawMessage) error {
			_, err := parseWebSearch(args)
			return err
		},
		Run: func(ctx context.Context, call Call) Result { return webSearch(ctx, call, engine) },
	}
}

func parseWebSearch(args json.RawMessage) (webSearchArgs, error) {
	a, err := parse[webSearchArgs](args)
	switch {
	case err != nil:
	case strings.TrimSpace(a.Query) == "":
		err = errors.New("arguments: query is missing")
	case len([]rune(a.Query)) > mostQuery:
		err = fmt.Errorf("arguments: query is longer than %d characters", mostQuery)
	case a.Max < 0 || a.Max > mostFound:
		err = fmt.Errorf("arguments: max must be between 1 and %d", mostFound)
	case a.Max == 0:
		a.Max = defaultFound
	}
	return a, err
}

func webSearch(ctx context.Context, call Call, engine web.Engine) Result {
	a, err := parseWebSearch(call.Args)
	if err != nil {
		return failed(err)
	}
	tooLong := fmt.Errorf("no complete answer within %v", mostFetchTime)
	bounded, done := context.WithTimeoutCause(ctx, mostFetchTime, tooLong)
	defer done()
	found, err := engine.Search(bounded, a.Query, a.Max)
	switch {
	case ctx.Err() != nil && err != nil:
		return stopped("")
	case bounded.Err() != nil && err != nil:
		return failed(tooLong)
	case err != nil:
		return failed(fmt.Errorf("web search: %w", err))
	case len(found) == 0:
		return finished("[no results]")
	}
	var out strings.Builder
	for i, f := range found {
		fmt.Fprintf(&out, "%d. %s\n%s\n%s\n\n", i+1, workspace.Plain(f.Title), workspace.Plain(f.URL), workspace.CutLine(workspace.Plain(f.Snippet), mostSnippet))
	}
	return finished(out.String())
}
