// Package setup finds the keys, model servers, agents and editors of a
// machine, and writes the first configuration from them.
package setup

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/editor"
)

// Survey lists what Bellcord can use on a machine.
type Survey struct {
	Config  string            // the settings file, "" if it does not exist
	Keys    []app.KeyVariable // the variables that are set
	Servers []ModelServer     // the servers that answer
	Agents  []string          // the installed agents
	Editors []editor.Editor   // the installed editors
	Serving bool              // whether a server runs on the data directory
}

// ModelServer is a model server on this machine.
type ModelServer struct {
	Name, URL string
	Models    []string
}

// localServers are the common model servers with their default addresses.
var localServers = []ModelServer{
	{Name: "ollama", URL: "http://127.0.0.1:11434/v1"},
	{Name: "lmstudio", URL: "http://127.0.0.1:1234/v1"},
	{Name: "llamacpp", URL: "http://127.0.0.1:8080/v1"},
}

// searchTimeout limits Search.
const searchTimeout = 300 * time.Millisecond

// Search finds everything concurrently, in at most 300 ms. It changes nothing
// and sends nothing to other machines.
func Search(ctx context.Context, file string, c config.Config) Survey {
	return search(ctx, file, c, localServers)
}

func search(ctx context.Context, file string, c config.Config, servers []ModelServer) Survey {
	var found Survey
	ctx, done := context.WithTimeout(ctx, searchTimeout)
	defer done()
	answers := make([]ModelServer, len(servers))
	var every sync.WaitGroup
	for i, s := range servers {
		every.Go(func() { answers[i] = s.withModels(ctx) })
	}
	every.Go(func() { found.Serving = backend.ServerRuns(ctx, c.DataDir) })
	if path, _ := config.File(file); config.IsFile(path) {
		found.Config = path
	}
	for _, k := range app.KeyVariables {
		if os.Getenv(k.Variable) != "" {
			found.Keys = append(found.Keys, k)
		}
	}
	for _, d := range preset.All() {
		if _, err := d.Find(); err == nil {
			found.Agents = append(found.Agents, d.Name)
		}
	}
	for _, e := range editor.All() {
		if e.Installed() {
			found.Editors = append(found.Editors, e)
		}
	}
	every.Wait()
	for _, s := range answers {
		if len(s.Models) > 0 {
			found.Servers = append(found.Servers, s)
		}
	}
	return found
}

// onThisMachine sends requests to servers on this machine: it uses no proxy and
// follows no redirects, which could lead to another machine.
var onThisMachine = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// withModels returns the server with its models, or without any if it does not
// answer like a model server. Models for embeddings are left out: they cannot
// answer.
func (s ModelServer) withModels(ctx context.Context) ModelServer {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/models", http.NoBody)
	if err != nil {
		return s
	}
	res, err := onThisMachine.Do(req)
	if err != nil {
		return s
	}
	defer func() { _ = res.Body.Close() }()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<20)).Decode(&list) != nil {
		return s
	}
	for _, model := range list.Data {
		if model.ID != "" && !strings.Contains(strings.ToLower(model.ID), "embed") {
			s.Models = append(s.Models, model.ID)
		}
	}
	return s
}
