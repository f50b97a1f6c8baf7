// Command bench prints every figure that Bellcord publishes, each with its baseline from the same
// run: absolute numbers depend on the machine, ratios are comparable.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

func main() {
	binary := flag.String("bellcord", "bin/bellcord", "path of the built `program`, for figures about whole processes")
	stopCount := flag.Int("stops", 1000, "number of stops to measure")
	others := flag.Int("others", 100, "number of other turns that stream at the same time")
	turns := flag.Int("turns", 2000, "number of live turns in the server figures")
	during := flag.Duration("during", 20*time.Second, "how long the server is under load")
	flag.Parse()
	which := flag.Args()
	if len(which) == 0 {
		which = []string{"stops", "formats", "coldstart", "guard", "zoo", "serve", "telegram"}
	}
	for _, name := range which {
		var err error
		switch name {
		case "stops":
			err = stops(os.Stdout, *stopCount, *others)
		case "formats":
			err = formats(os.Stdout, *stopCount/2)
		case "coldstart":
			err = coldstart(os.Stdout, *binary)
		case "guard": // a hosted agent with and without Bellcord
			err = guard(os.Stdout, *binary)
		case "timed": // the agent of guard
			err = timedAgent(os.Stdin, os.Stdout)
		case "zoo":
			err = zoo(os.Stdout, *stopCount, zooWays[:2])
		case "sandbox": // the zoo and the start of a command at every level
			err = sandboxFigures(os.Stdout, *stopCount)
		case "bombs": // stops while commands use up the machine; it needs root
			err = bombs(os.Stdout, *stopCount)
		case "serve":
			err = serve(os.Stdout, *turns, *during)
		case "cluster": // several nodes; it needs PostgreSQL
			err = clusterFigures(os.Stdout, *binary)
		case "hostile": // an owner who sends values that a store refuses; it needs PostgreSQL
			err = hostile(os.Stdout, *binary, *during)
		case "telegram": // many chats with one bot
			err = telegramFigures(os.Stdout)
		case "served": // the process that serve starts
			err = served(pace)
		case "relay": // the baseline of served
			err = relay(pace)
		default:
			err = fmt.Errorf("unknown figure %q: use stops, formats, coldstart, guard, zoo, sandbox, bombs, serve, telegram, hostile or cluster", name)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// row prints the distribution of a measurement.
func row(out io.Writer, what string, took []time.Duration) {
	slices.SortFunc(took, cmp.Compare)
	if len(took) == 0 {
		fmt.Fprintf(out, "  %-44s  not measured\n", what)
		return
	}
	at := func(q float64) time.Duration { return took[min(int(q*float64(len(took))), len(took)-1)] }
	fmt.Fprintf(out, "  %-44s  p50 %-10v p99 %-10v max %-10v n %d\n", what,
		at(0.5).Round(time.Microsecond), at(0.99).Round(time.Microsecond), took[len(took)-1].Round(time.Microsecond), len(took))
}
