package confine

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Listening returns the TCP ports on which processes listen for connections of
// this machine. Processes in another network namespace have none.
func Listening(pids []int) []int {
	open := listeners()
	if len(open) == 0 {
		return nil
	}
	var ports []int
	for _, pid := range pids {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // none if the process has ended
		for _, file := range files {
			target, _ := os.Readlink(file)
			inode := strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")
			if port, listens := open[inode]; listens {
				ports = append(ports, port)
			}
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// listeners returns the ports of listening TCP sockets, by inode.
func listeners() map[string]int {
	all := map[string]int{}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue // without IPv6, the second is missing
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[3] != "0A" { // the state of a listener
				continue
			}
			_, hex, _ := strings.Cut(fields[1], ":")
			if port, err := strconv.ParseUint(hex, 16, 16); err == nil {
				all[fields[9]] = int(port)
			}
		}
		_ = file.Close() // it was only read
	}
	return all
}
