package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func devCommand() *cobra.Command {
	dev := &cobra.Command{Use: "dev", Short: "For trying and testing Bellcord"}
	dev.AddCommand(fakeModelCommand(), manCommand())
	return dev
}

func fakeModelCommand() *cobra.Command {
	var addr, answer string
	var pace time.Duration
	cmd := &cobra.Command{
		Use:   "fakemodel",
		Short: "Serve a model that needs no key, does what markers in the prompt say, and checks every request",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			opts := []fakemodel.Option{fakemodel.WithPace(pace)}
			if answer != "" {
				text, err := os.ReadFile(answer)
				if err != nil {
					return fmt.Errorf("reading what the fake model answers: %w", err)
				}
				opts = append(opts, fakemodel.WithAnswer(strings.TrimSpace(string(text))))
			}
			running, url, err := fakemodel.New(opts...).Listen(addr)
			if err != nil {
				return err
			}
			fmt.Printf("fake model on %s\n", url)
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
			<-signals
			return running.Close()
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:11435", "`host:port` to listen on")
	cmd.Flags().DurationVar(&pace, "pace", 50*time.Millisecond, "pause between words where the prompt asks for slow ones")
	cmd.Flags().StringVar(&answer, "answer", "", "a `file` with the answer to prompts without a marker, given word by word")
	return cmd
}
