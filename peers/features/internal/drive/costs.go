package drive

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Costs is what the sessions of one agent in one directory cost.
type Costs struct {
	initialize time.Duration
	opened     []time.Duration // session/new, one after the other
	processes  int
	kilobytes  int64 // of all processes; shared memory counts in parts
}

// Cost opens n sessions in one directory, with a prompt in each.
func (v *Visit) Cost(n int) (*Costs, error) {
	var all Costs
	v.command.Dir = v.work // an editor starts an agent in the directory of the project
	began := time.Now()
	c, err := startClient(v.ctx, v.keeper, v.command, newEditor(v.keeper, false))
	if err != nil {
		return nil, err
	}
	defer c.disconnect()
	all.initialize = time.Since(began)
	for range n {
		began = time.Now()
		made, err := c.call(v.ctx, "session/new", object{"cwd": v.work, "mcpServers": []object{}})
		if err != nil {
			return nil, err
		}
		all.opened = append(all.opened, time.Since(began))
		prompt := object{"sessionId": textAt(made, "sessionId"), "prompt": []object{textBlock("[say hello]")}}
		if _, err := c.call(v.ctx, "session/prompt", prompt); err != nil {
			return nil, err
		}
	}
	for _, pid := range descendants(c.running.PID) {
		all.processes++
		all.kilobytes += proportional(pid)
	}
	return &all, nil
}

// String describes the costs in one line.
func (c *Costs) String() string {
	var opened []string
	for _, d := range c.opened {
		opened = append(opened, fmt.Sprintf("%.2f", d.Seconds()))
	}
	return fmt.Sprintf("initialize %.2f s; session/new %s s; %d processes; %d MiB",
		c.initialize.Seconds(), strings.Join(opened, ", "), c.processes, c.kilobytes>>10)
}

// descendants returns a process and its descendants.
func descendants(pid int) []int {
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		text, err := os.ReadFile(file)
		_, rest, found := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); err == nil && found && len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			children[parent] = append(children[parent], child)
		}
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// proportional returns the memory of a process in KiB. What it shares with others counts in parts.
func proportional(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) // it may have exited
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			size, _ := strconv.ParseInt(fields[1], 10, 64)
			return size
		}
	}
	return 0
}
