package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

// playReal plays the tasks with the model of the settings, if the environment
// contains a key. Otherwise it reports that it did not.
func playReal(ctx context.Context, s *stage, settings config.Config, tasks []task) error {
	var variables []string
	key := false
	for _, k := range app.KeyVariables {
		variables = append(variables, k.Variable)
		key = key || os.Getenv(k.Variable) != ""
	}
	model := settings.Model
	switch {
	case !key:
		fmt.Printf("No real model was measured: none of %s is set.\n", strings.Join(variables, ", "))
		return nil
	case model == "":
		return errors.New("a key is set, but no model: set BELLCORD_MODEL to provider/model to measure a real model")
	}
	if err := s.Models.Check(model); err != nil {
		return err
	}
	fmt.Printf("| task | solved by %s | requests | tokens | seconds |\n|---|---|---|---|---|\n", model)
	solved, ran := 0, 0
	for _, t := range tasks {
		if none := t.missing(); len(none) > 0 {
			fmt.Printf("| `%s` | not run: %s missing | | | |\n", t.name, strings.Join(none, ", "))
			continue
		}
		o, err := s.play(ctx, t, "real-"+t.name, model, realLimit, func(string) {})
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		ran++
		word := "no"
		if o.Solved {
			solved++
			word = "yes"
		}
		fmt.Printf("| `%s` | %s | %d | %d | %.0f |\n", t.name, word, o.Calls, o.tokens, o.duration.Seconds())
	}
	fmt.Printf("\n%s solved %d of %d tasks.\n", model, solved, ran)
	return nil
}
