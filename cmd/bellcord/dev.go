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
	dev := &cobra.Command{Use: "dev", Short: "Tools for trying and testing Bellcord"}
	dev.AddCommand(fakeModelCommand(), manCommand())
	return dev
}

func fakeModelCommand() *cobra.Command {
	var addr, answer string
	var pace time.Duration
	cmd := &cobra.Command{
		Use:   "fakemodel",
		Short: "Serve a fake model that needs no key",
		Long: `Serves a model that needs no key. It repeats the prompt, or follows markers in
the prompt such as [slow 200] or [hang], and checks every request as strictly as
the real model APIs do. GET / lists the markers.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			opts := []fakemodel.Option{fakemodel.WithPace(pace)}
			if answer != "" {
				text, err := os.ReadFile(answer)
				if err != nil {
					return fmt.Errorf("read the answer of the fake model: %w", err)
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
	cmd.Flags().DurationVar(&pace, "pace", 50*time.Millisecond, "pause between the words of a slow answer")
	cmd.Flags().StringVar(&answer, "answer", "", "`file` with the answer to prompts without a marker, sent word by word (default: repeat the prompt)")
	return cmd
}
