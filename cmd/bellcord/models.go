package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

func modelsCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the models that the configured providers offer",
		Long: `Lists the models of every provider that has a key or an address, or only those of
PROVIDER. For each provider it also prints whether an answer is still billed after a
stop has closed its connection.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			return listModels(cmd.Context(), c, args)
		},
	}
	s.dataFlags(cmd)
	return cmd
}

// listBound is the timeout for listing the models of one provider.
const listBound = 15 * time.Second

func listModels(ctx context.Context, c config.Config, only []string) error {
	m := app.NewModels(c)
	defer m.Close()
	var failed error
	for _, name := range m.Providers() {
		p := c.Provider[name]
		switch {
		case len(only) > 0 && only[0] != name:
			continue
		case len(only) == 0 && p.APIKey == "" && p.BaseURL == "" && p.API != config.Fake:
			fmt.Printf("# %s (%s): no key\n", name, p.API)
			continue
		}
		provider := m.Provider(name)
		if p.API == config.Fake {
			fmt.Printf("# %s: built in, needs no key; not a language model: it repeats the prompt\n", name)
		} else {
			fmt.Printf("# %s (%s); after a stop, billing: %s\n", name, p.API, provider.AfterClose())
		}
		asking, done := context.WithTimeout(ctx, listBound)
		offered, err := provider.Models(asking)
		done()
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
		for _, model := range offered {
			fmt.Printf("%s/%s\n", name, oneLine(model))
		}
	}
	if len(only) > 0 && !slices.Contains(m.Providers(), only[0]) {
		return fmt.Errorf("unknown provider %q: use one of %s", only[0], strings.Join(m.Providers(), ", "))
	}
	return failed
}
