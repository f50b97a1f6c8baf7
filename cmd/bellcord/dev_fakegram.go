package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/fakegram"
)

func fakegramCommand() *cobra.Command {
	var addr, token string
	cmd := &cobra.Command{
		Use:   "fakegram",
		Short: "Serve a Telegram that needs no account: a strict Bot API, and a page on which to be the people",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
			running, url, err := peopled(fakegram.New(fakegram.WithToken(token), fakegram.WithLogger(logger))).Listen(addr)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "fake Telegram on %s: open it to be Anna, Ben or both in their group\n", url)
			fmt.Fprintf(out, "a bot's token is %s, its Bot API server %s\n", token, url)
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
			<-signals
			return running.Close()
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:11436", "`host:port` of this machine to listen on")
	cmd.Flags().StringVar(&token, "token", "1:TEST", "the bot's `token`")
	return cmd
}

// peopled gives a server two people and a group that they share.
func peopled(s *fakegram.Server) *fakegram.Server {
	s.AddPerson(fakegram.User{ID: 1001, FirstName: "Anna", Username: "anna", Language: "en"})
	s.AddPerson(fakegram.User{ID: 1002, FirstName: "Ben", Username: "ben", Language: "en"})
	s.AddGroup(-1001, "Ringers", 1001, 1002)
	return s
}
