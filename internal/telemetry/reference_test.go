package telemetry_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/telemetry"
)

// update makes the test rewrite the generated part of the page: make reference.
var update = flag.Bool("update", false, "rewrite the generated part of docs/dev/metrics.md")

// generated separates the handwritten part of the page from the generated part.
const generated = "<!-- What follows is written by make reference. -->\n"

// openLabels are the labels whose values are not a fixed set, with the model and the event kind of the
// test's turn.
var openLabels = []string{"kind", "model"}

func TestReference_Metrics_IsCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "dev", "metrics.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, is, ok := strings.Cut(string(text), generated)
	if !ok {
		t.Fatalf("docs/dev/metrics.md has no line %q", generated)
	}
	want, labels := metricsReference(t)
	if *update {
		if err := os.WriteFile(path, []byte(written+generated+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if is != want {
		t.Error("docs/dev/metrics.md is not current: make reference")
	}
	described := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(written, -1) {
		described[row[1]] = true
	}
	if !maps.Equal(described, labels) {
		t.Errorf("docs/dev/metrics.md describes the labels %v, the metrics have %v", described, labels)
	}
}

// metricsReference returns the table of metrics, and their labels.
func metricsReference(t *testing.T) (table string, labels map[string]bool) {
	t.Helper()
	var b strings.Builder
	labels = map[string]bool{}
	b.WriteString("\n| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n")
	families, err := everything(t).Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if len(strings.Fields(f.GetHelp())) < 2 || !strings.HasSuffix(f.GetHelp(), ".") {
			t.Errorf("%s: %q is not a description", f.GetName(), f.GetHelp())
		}
		values := map[string][]string{}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = true
				if !slices.Contains(values[l.GetName()], l.GetValue()) {
					values[l.GetName()] = append(values[l.GetName()], l.GetValue())
				}
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), unitOf(f.GetName()), labelsWith(values), f.GetHelp())
	}
	return b.String(), labels
}

// everything returns a registry with all of Bellcord's metrics, after one turn.
func everything(t *testing.T) *prometheus.Registry {
	t.Helper()
	reg := prometheus.NewRegistry()
	m := telemetry.NewMetrics(reg, func() hub.Stats { return hub.Stats{} })
	traces := telemetry.NewTraces(noop.NewTracerProvider().Tracer(""), nil)
	if err := traces.Register(reg); err != nil {
		t.Fatal(err)
	}
	if err := traces.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused := refusalReasons(t)
	if err := telemetry.RegisterRefusals(reg, func() map[string]uint64 { return refused }); err != nil {
		t.Fatal(err)
	}
	m.Watch(ended(bellcord.Receipt{End: bellcord.EndDone, UsageByModel: []bellcord.ModelUsage{{Model: "m"}}}))
	return reg
}

// refusalReasons returns the reasons in the table of package cluster, which this package does not
// import.
func refusalReasons(t *testing.T) map[string]uint64 {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "cluster", "guard.go"))
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]uint64{}
	for _, m := range regexp.MustCompile(`\{"([a-z]+)", err\w+\}`).FindAllStringSubmatch(string(source), -1) {
		reasons[m[1]] = 0
	}
	if len(reasons) == 0 {
		t.Fatal("internal/cluster/guard.go has no table of reasons")
	}
	return reasons
}

func unitOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_seconds"):
		return "seconds"
	case strings.Contains(name, "_usd"):
		return "US dollars"
	case strings.Contains(name, "_tokens_"):
		return "tokens"
	}
	return "count"
}

// labelsWith returns the labels of a metric, with their values if these are a fixed set.
func labelsWith(values map[string][]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(openLabels, name) {
			all = append(all, "`"+name+"`")
			continue
		}
		var quoted []string
		for _, v := range slices.Sorted(slices.Values(values[name])) {
			quoted = append(quoted, "`"+cmp.Or(v, `""`)+"`")
		}
		all = append(all, "`"+name+"`: "+strings.Join(quoted, ", "))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, "; ")
}
