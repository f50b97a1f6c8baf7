//go:build linux

package proc_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// A stop of a command ends everything that it has started, also what left its session.
// The report names the proof.
func ExampleKeeper_Run() {
	keeper, err := proc.Open("", proc.Options{Grace: 100 * time.Millisecond, NoCgroup: true})
	if err != nil {
		panic(err)
	}
	defer keeper.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	exit, _ := keeper.Run(ctx, proc.Command{
		Args:   []string{"/bin/sh", "-c", "setsid sleep 1000 & echo ready; sleep 1000"},
		Output: func([]byte) { stop() },
	}, nil)
	fmt.Println(len(exit.Survivors), "survivors, proved by", exit.Proof)
	// Output: 0 survivors, proved by process_scan
}
