package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// zooFile is the list of animals, commands that are hard to stop. The tests of package proc use it
// too.
const zooFile = "proc/testdata/zoo.txt"

type zooAnimal struct {
	name, script string
	obeys        bool
}

// zooRow is the result of all stops of one animal with one containment method.
type zooRow struct {
	took      []time.Duration
	survivors int // by the process table, not by the report
	liars     int // reports that differ from the process table
	how       map[proc.How]int
	proofs    map[string]int
}

func newZooRow() zooRow { return zooRow{how: make(map[proc.How]int), proofs: make(map[string]int)} }

// zoo stops commands with processes that survive a stop elsewhere, each at a random moment, and
// searches the process table for survivors independently. stops is the number for each containment
// method, over all animals.
func zoo(out io.Writer, stops int, ways []zooWay) error {
	animals, err := readZoo()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "zoo: %d commands, each stopped at a random moment in its first 100 ms\n", len(animals))
	var totals strings.Builder
	for _, way := range ways {
		k, err := proc.Open("", way.opts)
		if err != nil {
			return err
		}
		run, sum := way.runner(k), newZooRow()
		for i, a := range animals {
			n := stops / len(animals)
			if i < stops%len(animals) {
				n++
			}
			r, err := zooStops(run, a, n)
			if err != nil {
				return errors.Join(err, k.Close())
			}
			zooPrint(out, a.name, way.name, r)
			sum.sum(r)
		}
		if err := k.Close(); err != nil {
			return err
		}
		fmt.Fprintf(&totals, "%d stops %s: %d survivors, %d reports that differ from the process table, proofs %v\n",
			len(sum.took), way.total, sum.survivors, sum.liars, sum.proofs)
	}
	_, err = io.WriteString(out, totals.String())
	return err
}

func readZoo() ([]zooAnimal, error) {
	text, err := os.ReadFile(zooFile)
	if err != nil {
		return nil, err
	}
	var all []zooAnimal
	for _, block := range strings.Split(string(text), "\n== ")[1:] {
		head, script, _ := strings.Cut(block, "\n")
		name, _, obeys := strings.Cut(head, " | obeys")
		all = append(all, zooAnimal{name, strings.TrimSpace(script), obeys})
	}
	return all, nil
}

// zooStops stops an animal n times: one after the other, or eight at a time if each stop takes the
// whole grace period.
func zooStops(run zooRunner, a zooAnimal, n int) (zooRow, error) {
	sum := newZooRow()
	workers := 1
	if !a.obeys {
		workers = min(8, n)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	var errs error
	for w := range workers {
		all.Go(func() {
			r, err := zooSome(run, a, (n+w)/workers)
			mu.Lock()
			defer mu.Unlock()
			errs = errors.Join(errs, err)
			sum.sum(r)
		})
	}
	all.Wait()
	return sum, errs
}

func (r *zooRow) sum(other zooRow) {
	r.took = append(r.took, other.took...)
	r.survivors, r.liars = r.survivors+other.survivors, r.liars+other.liars
	for how, n := range other.how {
		r.how[how] += n
	}
	for proof, n := range other.proofs {
		r.proofs[proof] += n
	}
}

func zooSome(run zooRunner, a zooAnimal, n int) (zooRow, error) {
	r := newZooRow()
	for range n {
		token := fmt.Sprintf("98765.%d%09d", os.Getpid(), rand.IntN(1e9))
		ctx, done := context.WithTimeout(context.Background(), time.Duration(1+rand.IntN(100))*time.Millisecond)
		exit, err := run(ctx, []string{"/bin/sh", "-c", strings.ReplaceAll(a.script, "TOKEN", token)})
		done()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) { // the deadline may expire before the start
			return r, err
		}
		alive := zooAudit(token)
		var named []int
		for _, s := range exit.Survivors {
			named = append(named, s.PID)
		}
		slices.Sort(named)
		if !slices.Equal(alive, named) {
			r.liars++
		}
		r.survivors += len(alive)
		r.proofs[exit.Proof]++
		r.took = append(r.took, exit.Took)
		for _, e := range exit.Ended {
			r.how[e.How]++
		}
	}
	return r, nil
}

// zooAudit finds a token in the command lines of all processes.
func zooAudit(token string) []int {
	dirs, _ := os.ReadDir("/proc")
	var found []int
	for _, d := range dirs {
		line, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline") // a zombie has no command line
		if pid, err := strconv.Atoi(d.Name()); err == nil && pid != os.Getpid() && bytes.Contains(line, []byte(token)) {
			found = append(found, pid)
		}
	}
	slices.Sort(found)
	return found
}

func zooPrint(out io.Writer, name, way string, r zooRow) {
	if len(r.took) == 0 {
		return
	}
	slices.SortFunc(r.took, cmp.Compare)
	at := func(q float64) time.Duration {
		return r.took[min(int(q*float64(len(r.took))), len(r.took)-1)].Round(100 * time.Microsecond)
	}
	fmt.Fprintf(out, "  %-48s %-8s  %4d stops  %d survivors  p50 %-8v p99 %-8v max %-8v  exited %d, terminated %d, killed %d\n",
		name, way, len(r.took), r.survivors, at(0.5), at(0.99), at(1), r.how[proc.Exited], r.how[proc.Terminated], r.how[proc.Killed])
}
