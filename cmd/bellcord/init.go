package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/config"
)

type initFlags struct {
	file  string
	force bool
}

func initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration from what is found here; without a key it works with a fake model",
		Long: `Writes a commented configuration file at the usual place, or where --config says.
It asks nothing: the model is one of a provider whose key is in the environment,
else of a model server on this machine, else the fake one that is built in, which
needs no key. No key is written into the file.

A file that is there is left alone, unless --force is given.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), os.Stdout) },
	}
	cmd.Flags().StringVar(&f.file, "config", "", "`file` to write (default: XDG config directory, bellcord/config.toml)")
	cmd.Flags().BoolVar(&f.force, "force", false, "write over a file that is there")
	return cmd
}

func (f *initFlags) run(ctx context.Context, out io.Writer) error {
	path, _ := config.File(f.file)
	if isFile(path) && !f.force {
		return fmt.Errorf("%s is there already: it is left as it is (--force writes over it)", path)
	}
	chosen := choose(ctx, lookAround(ctx, f.file, config.Config{}))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("writing configuration: %w", err)
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !f.force {
		flag |= os.O_EXCL // somebody else may have been quicker
	}
	file, err := os.OpenFile(path, flag, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: it is left as it is (--force writes over it)", path)
	} else if err != nil {
		return fmt.Errorf("writing configuration: %w", err)
	}
	_, err = file.WriteString(chosen.file())
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing configuration: %w", err)
	}
	fmt.Fprintf(out, "written: %s\nmodel:   %s (%s)\n", path, chosen.model, chosen.why)
	fmt.Fprintf(out, "next:    bellcord chat, or bellcord run \"hello\"\n")
	return nil
}

// choice is the model to begin with.
type choice struct {
	model, why string
	server     modelServer // of the model, where it is none that everybody has
}

// choose takes the first that answers: a provider with a key, then a server on
// this machine, then the fake model, which always does.
func choose(ctx context.Context, found survey) choice {
	chosen := choice{model: "fake/fake", why: "built in: no key and no model server was found"}
	for _, k := range found.keys {
		name, err := offered(ctx, k.provider)
		if err == nil && name != "" {
			return choice{model: k.provider + "/" + name, why: k.variable + " is set, and it is offered"}
		}
		chosen.why = "built in: " + k.variable + " is set, but no model could be listed with it; see bellcord doctor"
	}
	for _, s := range found.servers {
		return choice{model: s.name + "/" + s.models[0], why: s.url + " offers it", server: s}
	}
	return chosen
}

// offerBound is how long a provider may take to say what it offers.
const offerBound = 5 * time.Second

// offered asks a provider of the environment for a model to begin with.
func offered(ctx context.Context, provider string) (string, error) {
	c, err := config.FromEnvironment()
	if err != nil {
		return "", err
	}
	known := newModels(c)
	defer known.close()
	ctx, done := context.WithTimeout(ctx, offerBound)
	defer done()
	names, err := known.provider(provider).Models(ctx)
	return beginner(names), err
}

// allrounder is how models for everything are called; those for speech, images
// and search have more words in their names.
var allrounder = regexp.MustCompile(`^(claude-sonnet-[0-9-]+|gpt-[0-9.]+|gemini-[0-9.]+-(flash|pro))$`)

// beginner is the newest of those that do everything, else the first.
func beginner(names []string) string {
	best := ""
	for _, name := range names {
		if allrounder.MatchString(name) && strings.Compare(name, best) > 0 {
			best = name
		}
	}
	if best == "" && len(names) > 0 {
		best = slices.Sorted(slices.Values(names))[0]
	}
	return best
}
