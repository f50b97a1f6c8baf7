// Command prose measures the English of the repository.
//
//	go run ./tools/prose count        # comment blocks with words that english.md rules out
//	go run ./tools/prose list hub/    # those blocks and old test names, below a path
//	go run ./tools/prose draw 20261115 # twenty texts drawn at random, by seed
//	go run ./tools/prose messages     # errors and log messages, with file and line
//	go run ./tools/prose messages DIR # the same as text files in DIR, for make prose
//
// A comment block is one comment group as defined by go/ast. Correct uses are listed in allowed.txt
// with their reasons; count prints how many.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	texts, err := collect(".")
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "count":
		return printShares(texts)
	case len(args) == 2 && args[0] == "list":
		return printRuledOut(texts, args[1])
	case len(args) == 2 && args[0] == "draw":
		seed, err := strconv.ParseUint(args[1], 10, 64)
		if err != nil {
			return fmt.Errorf("seed: %w", err)
		}
		draw(texts, seed)
		return nil
	case len(args) == 1 && args[0] == "messages":
		printMessages(texts)
		return nil
	case len(args) == 2 && args[0] == "messages":
		return writeMessages(texts, args[1])
	}
	return fmt.Errorf("usage: prose count | prose list PATH | prose draw SEED | prose messages [DIR]")
}
