// Command fakegram serves a fake Telegram that needs no account: a strict Bot
// API, and a page on which to write as two people and in their group. It is for
// trying and testing the Telegram front and is not part of the shipped program.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func main() {
	ctx, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer done()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakegram:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to clean up
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fakegram", flag.ExitOnError)
	addr := flags.String("addr", "127.0.0.1:11436", "`host:port` to listen on, on this machine")
	token := flags.String("token", "1:TEST", "the bot's `token`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	server := fakegram.New(fakegram.WithToken(*token), fakegram.WithLogger(logger))
	server.AddPerson(fakegram.User{ID: 1001, FirstName: "Anna", Username: "anna", Language: "en"})
	server.AddPerson(fakegram.User{ID: 1002, FirstName: "Ben", Username: "ben", Language: "en"})
	server.AddGroup(-1001, "Ringers", 1001, 1002)
	running, url, err := server.Listen(*addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "fake Telegram on %s: open it in a browser to write as Anna or Ben\n", url)
	fmt.Fprintf(out, "bot token: %s, Bot API server: %s\n", *token, url)
	<-ctx.Done()
	return running.Close()
}
