package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// bomb is a command that uses up a resource, and its limits.
type bomb struct {
	name, script string
	limits       proc.Limits
}

// bombs measures stops while commands use up processes, memory and disk, again and again. Each of
// them has limits and ends with its call.
func bombs(out io.Writer, n int) (err error) {
	small, unmount, err := smallDisk()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unmount()) }()
	all := []bomb{
		{"fork bomb", "b() { b & b & wait; }; b", proc.Limits{Processes: 64}},
		{"memory bomb", "tail /dev/zero", proc.Limits{Memory: 128 << 20, Processes: 64}},
		{"disk filler", "cat /dev/zero > " + small + "/filler; sleep 10", proc.Limits{Disk: small}},
	}
	fmt.Fprintln(out, "without bombs:")
	if err := stops(out, n, 20); err != nil {
		return err
	}
	k, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	ctx, end := context.WithCancel(context.Background())
	results := make([]map[string]int, len(all))
	var running sync.WaitGroup
	for i, b := range all {
		results[i] = map[string]int{}
		running.Go(func() { b.explode(ctx, k, results[i]) })
	}
	fmt.Fprintln(out, "while a fork bomb, a memory bomb and a disk filler run, one of each at a time:")
	err = stops(out, n, 20)
	end()
	running.Wait()
	for i, b := range all {
		fmt.Fprintf(out, "  %-12s ended by %v, limits by %s\n", b.name, results[i], proc.LimitsBy())
	}
	return err
}

// explode runs the command for at most two seconds, again and again, and counts what ended it.
func (b bomb) explode(ctx context.Context, k *proc.Keeper, ended map[string]int) {
	for ctx.Err() == nil {
		once, done := context.WithTimeout(ctx, 2*time.Second)
		exit, err := k.Run(once, proc.Command{Args: []string{"/bin/sh", "-c", b.script}, Limits: b.limits}, nil)
		done()
		_ = os.Remove(b.limits.Disk + "/filler")
		switch {
		case err != nil:
			ended["error: "+err.Error()]++
		case len(exit.Survivors) > 0:
			ended["SURVIVORS"]++
		case exit.Limit != "":
			ended["limit: "+exit.Limit]++
		default:
			ended["stop"]++
		}
	}
}

// smallDisk mounts a file system of 64 MiB, for which this process needs to be root.
func smallDisk() (dir string, unmount func() error, err error) {
	if dir, err = os.MkdirTemp("", "bellcord-disk"); err != nil {
		return "", nil, err
	}
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "none", dir).CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("mount a small disk as root: %w: %s", err, text), os.Remove(dir))
	}
	return dir, func() error { return errors.Join(exec.Command("umount", dir).Run(), os.Remove(dir)) }, nil
}
