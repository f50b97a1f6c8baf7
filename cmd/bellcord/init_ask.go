package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/internal/app/setup"
	"github.com/bellcord/bellcord/internal/editor"
)

// asker asks the questions of bellcord init, line by line, so that they work in every terminal and
// with a screen reader.
type asker struct {
	in  *bufio.Scanner
	out io.Writer
}

// errCancelled is the end of the input before the last answer.
var errCancelled = errors.New("no answer: nothing was changed")

// mostChoices is how many models are listed, so that all questions fit on one screen.
const mostChoices = 8

// choose asks for the model and the agent. A question with only one answer is not asked.
func (a *asker) choose(models []setup.Choice, agents []string) (setup.Choice, error) {
	shown := models
	if len(shown) > mostChoices { // the last one is the built-in model
		shown = append(append([]setup.Choice{}, models[:mostChoices-1]...), models[len(models)-1])
	}
	chosen := shown[0]
	if len(shown) > 1 {
		rows := make([][2]string, len(shown))
		for i, c := range shown {
			rows[i] = [2]string{c.Model, c.Reason}
		}
		question := "Which model?"
		if hidden := len(models) - len(shown); hidden > 0 {
			question += fmt.Sprintf(" (%d more: bellcord models lists them)", hidden)
		}
		i, err := a.number(question, rows)
		if err != nil {
			return chosen, err
		}
		chosen = shown[i]
	}
	if len(agents) == 0 {
		return chosen, nil
	}
	rows := [][2]string{{"bellcord", "Bellcord's own agent, with " + chosen.Model}}
	for _, name := range agents {
		rows = append(rows, [2]string{name, "installed; behind Bellcord, with its own model, its stop works"})
	}
	i, err := a.number("Which agent?", rows)
	if err == nil && i > 0 {
		chosen.Agent = agents[i-1]
	}
	return chosen, err
}

// number asks for one of the rows; Enter takes the first.
func (a *asker) number(question string, rows [][2]string) (int, error) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	fmt.Fprintf(a.out, "\n%s\n", question)
	for i, r := range rows {
		fmt.Fprintf(a.out, "  %d  %-*s  %s\n", i+1, width, r[0], r[1])
	}
	for {
		fmt.Fprintf(a.out, "Number, or Enter for 1: ")
		text, err := a.line()
		if err != nil {
			return 0, err
		}
		if text == "" {
			return 0, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(rows) {
			return n - 1, nil
		}
		fmt.Fprintf(a.out, "Type a number from 1 to %d.\n", len(rows))
	}
}

// chooseEditors asks for each installed editor with a settings file whether to set it up, except for
// those that --editor names.
func (a *asker) chooseEditors(found setup.Survey, named []editor.Editor) ([]editor.Editor, error) {
	asked := map[string]bool{}
	for _, e := range named {
		asked[e.Name] = true
	}
	var chosen []editor.Editor
	for _, e := range found.Editors {
		if e.ByHand() || asked[e.Name] {
			continue
		}
		fmt.Fprintf(a.out, "\nAdd Bellcord to %s? This changes one file and keeps the old one:\n  %s\nType y, or Enter for no: ", e.Title, e.Place(personsHome()))
		text, err := a.line()
		if err != nil {
			return nil, err
		}
		if text = strings.ToLower(text); text == "y" || text == "yes" {
			chosen = append(chosen, e)
		}
	}
	fmt.Fprintln(a.out)
	return chosen, nil
}

func (a *asker) line() (string, error) {
	if !a.in.Scan() {
		fmt.Fprintln(a.out)
		return "", errors.Join(a.in.Err(), errCancelled)
	}
	return strings.TrimSpace(a.in.Text()), nil
}
