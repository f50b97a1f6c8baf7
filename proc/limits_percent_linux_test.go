package proc_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/proc"
)

var byDefault = proc.Limits{MemoryPercent: 50, Processes: 8192}

func TestLimits_MemoryPercent_LimitsTheGroupToItsShareAndNotItsSwap(t *testing.T) {
	t.Parallel()
	needsGroups(t)
	want := byDefault.Resolve().Memory
	if whole := (proc.Limits{MemoryPercent: 100}).Resolve().Memory; want < 64<<20 || want > whole/2+4096 {
		t.Fatalf("half of %d bytes is %d", whole, want)
	}
	token := token()
	k := open(t, "", proc.Options{})
	r, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "exec sleep " + token}, Limits: byDefault})
	if err != nil {
		t.Fatal(err)
	}
	group := groupOf(t, r.PID, "memory.max", "memory.limit_in_bytes")
	for name, least := range map[string]int64{"memory.max": want - 4096, "memory.limit_in_bytes": want - 4096, "memory.swap.max": want, "memory.memsw.limit_in_bytes": want + 1} {
		text, err := os.ReadFile(filepath.Join(group, name))
		if err != nil { // of the other version
			continue
		}
		value := strings.TrimSpace(string(text))
		n, _ := strconv.ParseInt(value, 10, 64)
		if value != "max" && n < least || strings.HasSuffix(name, "memory.limit_in_bytes") && n > want {
			t.Errorf("%s is %q, the share is %d", name, value, want)
		}
	}
	r.End(nil)
	closeOut(t, r)
}

func TestLimits_MemoryPercentWithoutGroups_LimitsProcessesAndNotMemory(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		asUser(t, 64_323)
		return
	}
	k := open(t, "", proc.Options{NoCgroup: true})
	exit, out := sh(t, t.Context(), k, "ulimit -d; grep 'Max processes' /proc/self/limits", proc.Command{Limits: byDefault})
	fields := strings.Fields(out)
	if exit.LimitsBy != "rlimit" || len(fields) < 4 || fields[0] != "unlimited" {
		t.Fatalf("by %q: %q", exit.LimitsBy, out)
	}
	if n, _ := strconv.Atoi(fields[3]); n < byDefault.Processes || n > 5*byDefault.Processes {
		t.Errorf("processes: %q", out)
	}
	exit, out = sh(t, t.Context(), k, "ulimit -d", proc.Command{Limits: proc.Limits{MemoryPercent: 50}})
	if exit.LimitsBy != "" || out != "unlimited\n" {
		t.Errorf("by %q: %q", exit.LimitsBy, out)
	}
}

func TestLimits_Resolve_BytesTakePrecedenceOverPercent(t *testing.T) {
	t.Parallel()
	if got := (proc.Limits{Memory: 7, MemoryPercent: 50}).Resolve(); got.Memory != 7 || got.MemoryPercent != 0 {
		t.Errorf("%+v", got)
	}
	if got := (proc.Limits{}).Resolve(); got != (proc.Limits{}) {
		t.Errorf("%+v", got)
	}
	if got := (proc.Limits{MemoryPercent: -1}).Resolve(); got != (proc.Limits{}) {
		t.Errorf("%+v", got)
	}
}
