package sandbox_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/sandbox"
)

var (
	cost   = flag.Int("cost", 0, "measure the start of a command this many times at each level, and print the median")
	helper = flag.String("helper", "", "path of the executable to use as the helper of -cost; default: this test")
)

// go test -run Cost ./internal/sandbox -cost 200 -helper PATH_OF_BELLCORD
func TestCost_CommandStarts_PrintsMedian(t *testing.T) {
	if *cost == 0 {
		t.Skip("measures with -cost N")
	}
	dir := directory(t)
	write(t, dir+"/home/.ssh/id", "key")
	p := sandbox.Profile{Write: []string{dir + "/home"}, Hide: []string{dir + "/home/.ssh"}}
	bare, err := sandbox.Open(t.Context(), sandbox.Disabled, sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	boxes, names := []*sandbox.Box{bare}, []string{"bare"}
	for _, v := range variants {
		boxes, names = append(boxes, open(t, v)), append(names, v.name)
	}
	took, cpu := make([][]time.Duration, len(boxes)), make([][]time.Duration, len(boxes))
	for range *cost {
		for i, b := range boxes { // in turn: the load of the machine changes
			began := time.Now()
			cmd, w := command(t, b, p, dir, "/bin/true")
			replaceHelper(t, w)
			if *helper != "" && strings.HasSuffix(cmd.Path, "/exe") {
				cmd.Path, cmd.Args[0] = *helper, *helper
			}
			if out, code := finish(t, cmd); code != 0 {
				t.Fatalf("%s: exit code %d: %s", names[i], code, out)
			}
			took[i] = append(took[i], time.Since(began))
			cpu[i] = append(cpu[i], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			w.Close()
		}
	}
	for i, all := range took {
		slices.Sort(all)
		slices.Sort(cpu[i])
		t.Logf("%-10s p50 %5.1f ms, p95 %5.1f ms, fastest %5.1f ms; processor time p50 %5.1f ms",
			names[i], ms(all[len(all)/2]), ms(all[len(all)*95/100]), ms(all[0]), ms(cpu[i][len(cpu[i])/2]))
	}
}

// replaceHelper replaces this executable among the files for bubblewrap.
func replaceHelper(t *testing.T, w *sandbox.Wrapped) {
	t.Helper()
	for i, f := range w.Files {
		if *helper == "" || f.Name() != "/proc/self/exe" {
			continue
		}
		other, err := os.Open(*helper)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		w.Files[i] = other
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
