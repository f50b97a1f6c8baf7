package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// onePrompt accepts at most one argument. Its error explains the most common mistake.
func onePrompt(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("the prompt is one argument: put it in quotes, as in bellcord run %q", strings.Join(args, " "))
	}
	return nil
}

// mostPiped limits the part of a prompt that is read from standard input.
const mostPiped = 1 << 20

// promptText returns the prompt: the argument, followed by standard input if that is a pipe or a
// file. The argument "-" stands for standard input.
func promptText(args []string, in *os.File, notice io.Writer) (string, error) {
	text := strings.Join(args, "")
	var parts []string
	if text != "" && text != "-" {
		parts = append(parts, text)
	}
	if text == "-" || isPiped(in) {
		piped, err := readPiped(in, notice)
		if err != nil {
			return "", err
		}
		if piped != "" {
			parts = append(parts, piped)
		}
	}
	text = strings.Join(parts, "\n\n")
	if strings.TrimSpace(text) == "" {
		return "", errors.New(`the prompt is empty: write it as an argument, as in bellcord run "hello", or pipe it in`)
	}
	return text, nil
}

// isPiped reports whether a file is a pipe or a regular file. Other inputs that are not a terminal,
// such as a socket, may stay open without any data.
func isPiped(in *os.File) bool {
	info, err := in.Stat()
	return err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular())
}

// readPiped reads standard input to its end. After a second it prints what it waits for, because a
// pipe that stays open would otherwise appear as a hang.
func readPiped(in io.Reader, notice io.Writer) (string, error) {
	waiting := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(notice, "reading the prompt from standard input (use </dev/null to prevent it)")
	})
	defer waiting.Stop()
	text, err := io.ReadAll(io.LimitReader(in, mostPiped+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read standard input: %w", err)
	case len(text) > mostPiped:
		return "", errors.New("standard input is larger than 1 MiB: put it in a file and name the file in the prompt")
	}
	return strings.TrimRight(string(text), "\n"), nil
}
