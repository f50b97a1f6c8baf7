package app

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
)

func TestModels_Find_ResolvesProviderAndModel(t *testing.T) {
	t.Parallel()
	c := config.Config{
		Provider: map[string]config.Provider{
			"openai": {API: config.Responses, APIKey: "x"}, "claude": {API: config.Anthropic, APIKey: "x"}, "g": {API: config.Gemini, APIKey: "x"},
			"local": {API: config.Chat, BaseURL: "http://127.0.0.1:1"},
		},
		ModelInfo: map[string]config.ModelInfo{"local/x": {ContextWindow: new(int64(5000)), InputUSDPerMillion: new(3.0), OutputUSDPerMillion: new(15.0), CacheReadUSDPerMillion: new(0.3)}},
	}
	m := NewModels(c)
	defer m.Close()
	for name, want := range map[string]struct {
		model  string
		window int64
		fails  string
	}{
		"openai/gpt": {"gpt", 128_000, ""}, "claude/opus": {"opus", 200_000, ""}, "g/flash": {"flash", 1_000_000, ""},
		"local/x": {"x", 5000, ""}, "local/a/b": {"a/b", 128_000, ""},
		"": {fails: "no model"}, "gpt": {fails: "provider/model"}, "openai/": {fails: "provider/model"}, "other/x": {fails: "use one of claude, g, local, openai"},
	} {
		found, err := m.Find(name)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if err != nil || found.Name != want.model || found.Window != want.window || found.Model == nil {
			t.Errorf("%q: %+v, %v", name, found, err)
		}
	}
	if p := m.Price("local/x"); p == nil || *p != (bellcord.Price{Input: 3000, Output: 15_000, CacheRead: 300, CacheWrite: 3000}) {
		t.Errorf("the price is %+v", p)
	}
	m.settings.ModelInfo["local/free"] = config.ModelInfo{InputUSDPerMillion: new(0.0), OutputUSDPerMillion: new(0.0)}
	m.settings.ModelInfo["local/cached"] = config.ModelInfo{InputUSDPerMillion: new(3.0), CacheReadUSDPerMillion: new(0.0)}
	if p := m.Price("local/free"); p == nil || *p != (bellcord.Price{}) {
		t.Errorf("a price of 0 is %+v", p)
	}
	if p := m.Price("local/cached"); p == nil || *p != (bellcord.Price{Input: 3000, CacheWrite: 3000}) {
		t.Errorf("a cache that costs nothing has the price %+v", p)
	}
	m.settings.Limits.MaxCostUSD = 1
	if _, err := m.Find("local/other"); err == nil || !strings.Contains(err.Error(), "the price of the model is unknown") {
		t.Errorf("a limit on cost and no price: %v", err)
	}
}

func TestWebSearch_Tool_IsOfferedOnlyIfConfigured(t *testing.T) {
	t.Parallel()
	if got := webSearch(config.WebSearch{URL: "http://127.0.0.1"}); len(got) != 0 {
		t.Errorf("%d tools without a provider", len(got))
	}
	if got := webSearch(config.WebSearch{Provider: "searxng", URL: "http://127.0.0.1"}); len(got) != 1 || got[0].Name != "web_search" {
		t.Errorf("%+v", got)
	}
}

func TestModels_Media_FollowsAPIAndSettings(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	m := NewModels(config.Config{
		Provider: map[string]config.Provider{"anthropic": {API: config.Anthropic, APIKey: "k"}, "local": {API: config.Chat, BaseURL: "http://127.0.0.1/v1"}},
		ModelInfo: map[string]config.ModelInfo{
			"local/sees": {Images: &yes, PDFs: &yes}, "anthropic/text": {Images: &no, PDFs: &no},
		},
	})
	defer m.Close()
	for name, want := range map[string]llm.Media{
		"anthropic/claude": {Images: true, PDFs: true}, "anthropic/text": {}, "local/any": {}, "local/sees": {Images: true},
	} {
		got, err := m.Find(name)
		if err != nil || got.Media != want || got.TextOnly != (name == "anthropic/text") {
			t.Errorf("%s: %+v, %v, %v", name, got.Media, got.TextOnly, err)
		}
	}
}
