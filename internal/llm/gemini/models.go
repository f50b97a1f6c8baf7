package gemini

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// models is one page of the list.
type models struct {
	Models []struct {
		Name    string   `json:"name"`
		Methods []string `json:"supportedGenerationMethods"`
	} `json:"models"`
	Next string `json:"nextPageToken"`
}

// Models implements llm.Provider. It returns only models that support
// generateContent.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	if p.problem != nil {
		return nil, p.problem
	}
	var names []string
	query := url.Values{"pageSize": {"1000"}} // the maximum
	for {
		page, err := p.page(ctx, query)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("listing models: %w", plain(err))
		}
		for _, m := range page.Models {
			if slices.Contains(m.Methods, "generateContent") {
				names = append(names, strings.TrimPrefix(m.Name, "models/"))
			}
		}
		if page.Next == "" {
			return names, nil
		}
		query.Set("pageToken", page.Next)
	}
}

func (p *Provider) page(ctx context.Context, query url.Values) (models, error) {
	var page models
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.at("models", query), nil)
	if err != nil {
		return page, err
	}
	res, err := p.http.Do(req)
	if err != nil {
		return page, err
	}
	defer func() { _ = res.Body.Close() }() // it has been read
	body, err := io.ReadAll(io.LimitReader(res.Body, longest))
	if err != nil {
		return page, err
	}
	return page, json.Unmarshal(body, &page)
}
