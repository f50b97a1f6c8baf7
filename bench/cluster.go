package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	clusterCount = flag.Int("n", fullCount, "number of stops across nodes to measure; the other cluster figures scale with it")
	clusterOnly  = flag.String("only", "", "cluster figures to measure: a comma-separated `list` of stop, events, wait, fanout (default all)")
)

// fullCount is the number of stops at which the other figures of a cluster have their full size,
// too.
const fullCount = 10_000

// scaled scales a size with the requested number of stops. It returns at least a tenth of the full
// size: a smaller size is not meaningful.
func scaled(full int) int { return max(full**clusterCount/fullCount, full/10) }

// clusterFigure is one measurement on a separate stage.
type clusterFigure struct {
	name    string
	measure func(context.Context, io.Writer, *clusterStage) error
}

// clusterFigures measures several nodes on one PostgreSQL, connected by NATS. Each figure has a
// separate schema and NATS server, and is measured together with its baseline.
func clusterFigures(out io.Writer, binary string) error {
	if role := os.Getenv(clusterRole); role != "" {
		return playRole(role)
	}
	if after := flag.Args()[1:]; len(after) > 0 && strings.HasPrefix(after[0], "-") {
		return fmt.Errorf("%s: put flags before the name of the figure", after[0])
	}
	figures, err := chosen([]clusterFigure{
		{"stop", clusterStops}, {"events", clusterEvents}, {"wait", clusterWaits}, {"fanout", clusterFanOut},
	})
	if err != nil {
		return err
	}
	for _, f := range figures {
		if err := f.onStage(out, binary); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// chosen returns the figures selected by flag, in their usual order.
func chosen(all []clusterFigure) ([]clusterFigure, error) {
	if *clusterOnly == "" {
		return all, nil
	}
	selected := strings.Split(*clusterOnly, ",")
	for _, w := range selected {
		if !slices.ContainsFunc(all, func(f clusterFigure) bool { return f.name == w }) {
			return nil, fmt.Errorf("unknown cluster figure %q", w)
		}
	}
	return slices.DeleteFunc(all, func(f clusterFigure) bool { return !slices.Contains(selected, f.name) }), nil
}

// onStage measures a figure and removes everything it created, even if it is interrupted.
func (f clusterFigure) onStage(out io.Writer, binary string) (err error) {
	ctx, done := context.WithTimeout(context.Background(), 15*time.Minute)
	defer done()
	ctx, deaf := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer deaf()
	if named := os.Getenv("BELLCORD_BIN"); named != "" {
		binary = named
	}
	stage, err := openClusterStage(ctx, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.closeStage()) }()
	return f.measure(ctx, out, stage)
}

// quantile returns a quantile of times in any order; it sorts took.
func quantile(took []time.Duration, q float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.SortFunc(took, cmp.Compare)
	return took[min(int(q*float64(len(took))), len(took)-1)]
}

// ratio prints the ratio of our times to the baseline's.
func ratio(out io.Writer, measured, bare []time.Duration, aim string) {
	of := func(q float64) float64 { return float64(quantile(measured, q)) / float64(max(quantile(bare, q), 1)) }
	fmt.Fprintf(out, "  %-44s  p50 %-10.2f p99 %-10.2f (%s)\n", "ratio", of(0.5), of(0.99), aim)
}
