package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store/sqlite"
)

// served runs a server in a separate process, as bellcord serve does: real SQLite, tokens, the
// whole web front. Only the agent differs: it writes the time at a steady pace until it is stopped.
func served(every time.Duration) error {
	dir, err := os.MkdirTemp("", "bellcord-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	hub, err := hub.Open(context.Background(), store, ticking{every}, hub.Options{})
	if err != nil {
		return err
	}
	secret, _, err := auth.Mint(context.Background(), store, serverstore.Token{Owner: "bench", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}})
	if err != nil {
		return err
	}
	server := web.New(web.Config{
		Hub: hub, Door: auth.NewDoor(store, auth.Options{}), Hosts: []string{"127.0.0.1"}, Workspaces: dir,
		Models: func() []api.Model { return nil }, Agents: func() []api.Agent { return nil },
	})
	err = untilInterrupted(server.Handler(), secret)
	server.Close()
	return errors.Join(err, hub.Close(context.Background()), store.Close())
}

// untilInterrupted serves until it is interrupted, and prints its address for the parent process.
func untilInterrupted(handler http.Handler, secret string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with Close
	fmt.Println(l.Addr(), secret)
	<-interrupted
	return server.Close()
}

// ticking is an agent that writes the time, in nanoseconds, until it is stopped.
type ticking struct{ every time.Duration }

// Run implements hub.Agent.
func (a ticking) Run(ctx context.Context, w *hub.Work) error {
	return tick(ctx, a.every, func(now string) error { return w.Emit(bellcord.TextDelta{Text: now}) })
}

// tick begins at a random moment, so that thousands of turns are not synchronized.
func tick(ctx context.Context, every time.Duration, say func(string) error) error {
	select {
	case <-time.After(rand.N(every)):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
			if err := say(strconv.FormatInt(time.Now().UnixNano(), 10) + " "); err != nil {
				return err
			}
		}
	}
}
