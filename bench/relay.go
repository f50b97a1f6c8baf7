package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// relay is the baseline: the part of the API that the benchmark uses, with SSE from a goroutine's
// channel straight to one viewer. It has no log, no store and no tokens.
func relay(every time.Duration) error {
	r := &relaying{turns: map[string]*relayed{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		r.n++
		id := fmt.Sprint(r.n)
		r.turns[id] = &relayed{words: make(chan string, 64)}
		r.mu.Unlock()
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]string{"id": id})
	})
	mux.HandleFunc("POST /v1/sessions/{id}/turns", func(w http.ResponseWriter, req *http.Request) {
		id := req.PathValue("id")
		r.startTurn(id, every)
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(map[string]string{"id": id})
	})
	mux.HandleFunc("POST /v1/turns/{id}/stop", func(w http.ResponseWriter, req *http.Request) {
		t := r.of(req.PathValue("id"))
		t.cancel()
		<-t.done
		_ = json.NewEncoder(w).Encode(map[string]string{"state": "settled"})
	})
	mux.HandleFunc("GET /v1/sessions/{id}/events", r.events)
	return untilInterrupted(mux, "none")
}

type relaying struct {
	mu    sync.Mutex
	n     int
	turns map[string]*relayed
}

type relayed struct {
	words  chan string
	cancel context.CancelFunc
	done   chan struct{}
}

func (r *relaying) of(id string) *relayed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turns[id]
}

func (r *relaying) startTurn(id string, every time.Duration) {
	t := r.of(id)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	r.mu.Lock()
	t.cancel, t.done = cancel, done
	r.mu.Unlock()
	go func() {
		defer close(done)
		_ = tick(ctx, every, func(now string) error {
			select {
			case t.words <- now:
			case <-ctx.Done():
			}
			return nil
		})
	}()
}

func (r *relaying) events(w http.ResponseWriter, req *http.Request) {
	t := r.of(req.PathValue("id"))
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	_ = control.Flush()
	for seq := 1; ; seq++ {
		select {
		case <-req.Context().Done():
			return
		case word := <-t.words:
			// As many bytes as one of Bellcord's events.
			_, err := fmt.Fprintf(w, "id: %d\ndata: {\"session\":\"01a1de66-7183-7161-a8f9-fffeac52c48d\",\"seq\":%d,\"turn\":\"01a1de66-7399-714c-8a97-3992e931dbb5\","+
				"\"time\":\"2026-11-15T08:50:18.649378357Z\",\"kind\":\"text_delta\",\"body\":{\"text\":%q}}\n\n", seq, seq, word)
			if err != nil || control.Flush() != nil {
				return
			}
		}
	}
}
