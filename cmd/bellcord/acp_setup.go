package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/setup"
	"github.com/bellcord/bellcord/internal/config"
)

// setUpFlag is the flag with which an editor starts the set-up in a terminal.
const setUpFlag = "--set-up"

// setUpInTerminal asks for a provider and its key, and writes a configuration with them. Without a
// provider it does the same as bellcord init. It does nothing if a model is configured.
func (s *settings) setUpInTerminal(ctx context.Context) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New(setUpFlag + " needs a terminal: run it in one, or use bellcord init")
	}
	c, err := s.load()
	if err != nil {
		return err
	}
	path, _ := config.File(s.file)
	switch {
	case app.HasModel(c):
		fmt.Printf("the model %s is already configured; to change it, edit %s\n", app.DefaultModel(c), path)
		return nil
	case config.IsFile(path):
		return fmt.Errorf("no model in %s: add model = \"provider/model\"", path)
	}
	provider, err := chooseProvider(bufio.NewReader(os.Stdin), os.Stdout)
	if err != nil {
		return err
	}
	if provider == "" {
		return (&initFlags{file: s.file}).runInit(ctx, nil, os.Stdout)
	}
	fmt.Printf("API key of %s (it is not shown): ", provider)
	key, err := term.ReadPassword(int(os.Stdin.Fd()))
	fmt.Println()
	if err != nil {
		return err
	}
	w, err := setup.WriteKey(ctx, s.file, setup.KeyEntered{Provider: provider, Key: string(key)})
	if err != nil {
		return err
	}
	fmt.Printf("written: %s\nmodel:   %s (%s)\n", w.Path, w.Model, w.Reason)
	return nil
}

// chooseProvider returns the provider that the user chooses, or "" for whatever is found on this
// machine.
func chooseProvider(in *bufio.Reader, out io.Writer) (string, error) {
	fmt.Fprintln(out, "Which provider do you have an API key of?")
	for i, k := range app.KeyVariables {
		fmt.Fprintf(out, "  %d  %s\n", i+1, k.Provider)
	}
	for {
		fmt.Fprintf(out, "Number, or only Enter to use what is found on this machine: ")
		input, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		input = strings.TrimSpace(input)
		if input == "" {
			return "", nil
		}
		if n, err := strconv.Atoi(input); err == nil && n >= 1 && n <= len(app.KeyVariables) {
			return app.KeyVariables[n-1].Provider, nil
		}
	}
}
