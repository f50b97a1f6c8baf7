// Package setup finds the keys, model servers, agents and editors of a
// machine, and writes the first configuration from them.
package setup

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
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
const searchTimeout = 500 * time.Millisecond

// Search finds everything concurrently. It changes nothing and sends nothing
// to other machines.
func Search(ctx context.Context, file string, c config.Config) Survey {
	var found Survey
	ctx, done := context.WithTimeout(ctx, searchTimeout)
	defer done()
	answers := make([]ModelServer, len(localServers))
	var every sync.WaitGroup
	for i, s := range localServers {
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

// withModels returns the server with its models, or without any if it does not
// answer like a model server.
func (s ModelServer) withModels(ctx context.Context) ModelServer {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/models", http.NoBody)
	if err != nil {
		return s
	}
	res, err := http.DefaultClient.Do(req)
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
		s.Models = append(s.Models, model.ID)
	}
	return s
}
