package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/client"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/editor"
)

// survey is what there is on this machine to work with.
type survey struct {
	config  string        // the file, "" where there is none
	keys    []key         // that are set
	servers []modelServer // that answer
	agents  []string
	editors []editor.Editor
	serving bool // a server runs on the data directory
}

// key is a variable that holds one. Its value is nowhere shown.
type key struct{ provider, variable string }

// modelServer is one that people run on their own machine.
type modelServer struct {
	name, url string
	models    []string
}

// keyVariables are those that config reads.
var keyVariables = []key{{"anthropic", "ANTHROPIC_API_KEY"}, {"openai", "OPENAI_API_KEY"}, {"gemini", "GEMINI_API_KEY"}}

// localServers are where the usual ones listen.
var localServers = []modelServer{
	{name: "ollama", url: "http://127.0.0.1:11434/v1"},
	{name: "lmstudio", url: "http://127.0.0.1:1234/v1"},
	{name: "llamacpp", url: "http://127.0.0.1:8080/v1"},
}

// glance is how long anything may take to be found that is on this machine.
const glance = 500 * time.Millisecond

// lookAround looks for all of it at once. It changes nothing and asks nothing of
// other machines.
func lookAround(ctx context.Context, file string, c config.Config) survey {
	var found survey
	ctx, done := context.WithTimeout(ctx, glance)
	defer done()
	answers := make([]modelServer, len(localServers))
	var every sync.WaitGroup
	for i, s := range localServers {
		every.Go(func() { answers[i] = s.ask(ctx) })
	}
	every.Go(func() { found.serving = serverRuns(ctx, c.Data) })
	if path, _ := config.File(file); isFile(path) {
		found.config = path
	}
	for _, k := range keyVariables {
		if os.Getenv(k.variable) != "" {
			found.keys = append(found.keys, k)
		}
	}
	for _, d := range preset.All() {
		if _, err := d.Find(); err == nil {
			found.agents = append(found.agents, d.Name)
		}
	}
	for _, e := range editor.All() {
		if e.Installed() {
			found.editors = append(found.editors, e)
		}
	}
	every.Wait()
	for _, s := range answers {
		if len(s.models) > 0 {
			found.servers = append(found.servers, s)
		}
	}
	return found
}

// ask returns the server with its models; without any where it does not answer
// as a model server does.
func (s modelServer) ask(ctx context.Context) modelServer {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/models", http.NoBody)
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
		s.models = append(s.models, model.ID)
	}
	return s
}

// serverRuns asks the socket of a data directory.
func serverRuns(ctx context.Context, data string) bool {
	socket := filepath.Join(data, "bellcord.sock")
	if _, err := os.Stat(socket); err != nil {
		return false
	}
	near, err := client.New("unix:"+socket, "")
	return err == nil && near.Alive(ctx) == nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
