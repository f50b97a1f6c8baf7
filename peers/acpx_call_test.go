package peers_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// acpx returns a call of acpx. Its queue owner, which stays behind to keep the session open, is
// ended at the end.
func (r *rig) acpx(args ...string) *acpxCall { return r.acpxStaying("60", args...) }

// acpxStaying sets how many seconds the queue owner stays when it is not needed.
func (r *rig) acpxStaying(seconds string, args ...string) *acpxCall {
	cli := filepath.Join(r.clients, "node_modules/acpx/dist/cli.js")
	cmd := r.command(append([]string{r.node(), cli, "--agent", r.tap(), "--ttl", seconds, "--cwd", r.path("work")}, args...)...)
	call := &acpxCall{rig: r, Cmd: cmd}
	cmd.Stdout = &call.out
	return call
}

type acpxCall struct {
	*rig
	*exec.Cmd
	out  bytes.Buffer
	code int // expected exit code
}

func (c *acpxCall) start() *acpxCall {
	c.Helper()
	if err := c.Start(); err != nil {
		c.Fatal(err)
	}
	return c
}

// prints runs it to its end and checks that the output contains the given texts.
func (c *acpxCall) prints(want ...string) {
	c.Helper()
	c.start().ends(want...)
}

func (c *acpxCall) ends(want ...string) {
	c.Helper()
	_ = c.Wait() // the exit code is checked below
	code, out := c.ProcessState.ExitCode(), c.out.String()
	for _, text := range want {
		if !strings.Contains(out, text) {
			c.Errorf("acpx %q did not print %q but\n%s", c.Args[8:], text, out)
		}
	}
	if code != c.code {
		c.Fatalf("acpx %q: exit code %d\n%s", c.Args[8:], code, out)
	}
}

// awaitExits waits until every agent and every queue owner has exited: acpx does not wait for them,
// and their last frames count.
func (r *rig) awaitExits() {
	r.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		records := readRecords(r.T, r.path("wire"))
		if len(r.owners()) == 0 && !slices.ContainsFunc(records, underWay) {
			return
		}
		select {
		case <-tick.C:
		case <-r.ctx.Done():
			r.Fatal("an agent never left")
		}
	}
}

// owners returns the locks of queue owners that have not exited.
func (r *rig) owners() []string {
	r.Helper()
	owners, err := filepath.Glob(filepath.Join(r.path("home"), ".acpx/queues/*"))
	if err != nil {
		r.Fatal(err)
	}
	return owners
}

func underWay(record []frame) bool {
	return len(record) == 0 || record[len(record)-1].From != "exit"
}
