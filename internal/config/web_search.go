package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
)

// WebSearch configures the service that the tool web_search uses. Without it, the
// built-in agent does not have the tool.
type WebSearch struct {
	Provider  string `toml:"provider"`       // service: brave, tavily or searxng (unset: no web search)
	BraveKey  string `toml:"brave_api_key"`  // API key of Brave Search; set it in the environment rather than in the file (unset: none; env BRAVE_API_KEY)
	TavilyKey string `toml:"tavily_api_key"` // API key of Tavily; set it in the environment rather than in the file (unset: none; env TAVILY_API_KEY)
	URL       string `toml:"url"`            // address of the service, which may be on this machine or in a private network; required for searxng (unset: the public address of brave or tavily)
}

// Key returns the key of the configured service, or "".
func (w WebSearch) Key() string {
	switch w.Provider {
	case "brave":
		return w.BraveKey
	case "tavily":
		return w.TavilyKey
	}
	return ""
}

// applyEnvironment sets the keys from the environment.
func (w *WebSearch) applyEnvironment() {
	for name, key := range map[string]*string{"BRAVE_API_KEY": &w.BraveKey, "TAVILY_API_KEY": &w.TavilyKey} {
		if v := os.Getenv(name); v != "" {
			*key = v
		}
	}
}

func (w WebSearch) check() error {
	to, err := url.Parse(w.URL)
	switch {
	case w.Provider == "":
		return nil
	case w.Provider == "brave" && w.BraveKey == "":
		return errors.New("web_search: set BRAVE_API_KEY in the environment")
	case w.Provider == "tavily" && w.TavilyKey == "":
		return errors.New("web_search: set TAVILY_API_KEY in the environment")
	case w.Provider == "searxng" && w.URL == "":
		return errors.New("web_search: set url to the address of your SearXNG server")
	case w.Provider != "brave" && w.Provider != "tavily" && w.Provider != "searxng":
		return fmt.Errorf("web_search: unknown provider %q: use brave, tavily or searxng", w.Provider)
	case w.URL != "" && (err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == ""):
		return fmt.Errorf("web_search: url %q is not an http or https URL", w.URL)
	}
	return nil
}
