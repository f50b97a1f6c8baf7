package setup

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/config"
)

// The answers of model servers to GET /v1/models, as these servers send them.
const (
	ollamaModels   = `{"object":"list","data":[{"id":"llama3.2:latest","object":"model","created":1763200000,"owned_by":"library"},{"id":"nomic-embed-text:latest","object":"model","created":1763200001,"owned_by":"library"}]}`
	lmStudioModels = `{"data":[{"id":"text-embedding-nomic-embed-text-v1.5","object":"model","owned_by":"organization_owner"},{"id":"qwen3-8b","object":"model","owned_by":"organization_owner"}],"object":"list"}`
	llamaCppModels = `{"models":[{"name":"gemma.gguf","model":"gemma.gguf","type":"model","capabilities":["completion"]}],"object":"list","data":[{"id":"gemma.gguf","object":"model","created":1763200000,"owned_by":"llamacpp","meta":{"vocab_type":1,"n_params":4000000000}}]}`
)

// answering returns a server on this machine that answers every request as handle does.
func answering(t *testing.T, name string, handle http.HandlerFunc) ModelServer {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return ModelServer{Name: name, URL: server.URL + "/v1"}
}

// listing returns a server that lists models at /v1/models.
func listing(t *testing.T, name, models string) ModelServer {
	t.Helper()
	return answering(t, name, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, models)
	})
}

// closedServer returns the address of a server that has been closed.
func closedServer() ModelServer {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	return ModelServer{Name: "closed", URL: server.URL + "/v1"}
}

func TestSearch_ModelServers_ListsTheModelsThatCanAnswer(t *testing.T) {
	t.Parallel()
	found := search(t.Context(), "", config.Config{DataDir: t.TempDir()}, []ModelServer{
		listing(t, "ollama", ollamaModels), closedServer(), listing(t, "lmstudio", lmStudioModels), listing(t, "llamacpp", llamaCppModels),
	})
	var got []string
	for _, s := range found.Servers {
		got = append(got, s.Name+": "+strings.Join(s.Models, ", "))
	}
	if want := []string{"ollama: llama3.2:latest", "lmstudio: qwen3-8b", "llamacpp: gemma.gguf"}; !slices.Equal(got, want) {
		t.Errorf("found %q, not %q", got, want)
	}
}

func TestSearch_OtherServersOnThePorts_AreNotModelServers(t *testing.T) {
	t.Parallel()
	elsewhere := false
	other := answering(t, "other", func(w http.ResponseWriter, _ *http.Request) {
		elsewhere = true
		fmt.Fprint(w, ollamaModels)
	})
	found := search(t.Context(), "", config.Config{DataDir: t.TempDir()}, []ModelServer{
		answering(t, "page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>") }),
		answering(t, "loading", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
		}),
		listing(t, "empty", `{"object":"list","data":null}`),
		answering(t, "redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/models", http.StatusFound)
		}),
	})
	if len(found.Servers) > 0 || elsewhere {
		t.Errorf("found %+v; the redirect was followed: %v", found.Servers, elsewhere)
	}
}

func TestSearch_ServerThatDoesNotAnswer_EndsInTime(t *testing.T) {
	t.Parallel()
	servers := []ModelServer{listing(t, "ollama", ollamaModels)}
	for range 3 {
		servers = append(servers, answering(t, "silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	}
	var found Survey
	for range 20 { // on a busy machine the server that answers may be late, too
		start := time.Now()
		found = search(t.Context(), "", config.Config{DataDir: t.TempDir()}, servers) // ends, although three never answer
		if took := time.Since(start); took < searchTimeout {
			t.Fatalf("it took %v", took)
		}
		if len(found.Servers) > 0 {
			break
		}
	}
	if len(found.Servers) != 1 || found.Servers[0].Name != "ollama" {
		t.Errorf("found %+v", found.Servers)
	}
}

func TestChoices_SeveralServers_OffersAllModelsAndTheFakeModelLast(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range Choices(t.Context(), Survey{Servers: []ModelServer{{Name: "ollama", Models: []string{"a", "b"}}, {Name: "lmstudio", Models: []string{"c"}}}}) {
		got = append(got, c.Model)
	}
	if want := []string{"ollama/a", "ollama/b", "lmstudio/c", "fake/fake"}; !slices.Equal(got, want) {
		t.Errorf("it offers %q", got)
	}
}

func TestFile_HostedAgent_IsASetting(t *testing.T) {
	t.Parallel()
	if text := (Choice{Model: "fake/fake", Agent: "goose"}).file(); !strings.Contains(text, "\nagent = \"goose\"\n") {
		t.Error(text)
	}
}
