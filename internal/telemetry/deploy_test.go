package telemetry_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/telemetry"
)

// deployed returns the content of a file in deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exported returns Bellcord's metrics with their possible labels.
func exported(t *testing.T) map[string]map[string]bool {
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
	m.Watch(ended(bellcord.Receipt{End: bellcord.EndDone, UsageByModel: []bellcord.ModelUsage{{Model: "m"}}}))
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]bool{}
	for _, f := range families {
		labels := map[string]bool{"job": true, "instance": true, "le": f.GetType().String() == "HISTOGRAM"}
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels[l.GetName()] = true
		}
		if !strings.HasPrefix(f.GetName(), "bellcord_") {
			t.Errorf("%s does not say whose it is", f.GetName())
		}
		all[f.GetName()] = labels
	}
	return all
}

// dashboard contains the parts of the dashboard that the tests check.
type dashboard struct {
	Title         string
	SchemaVersion int
	Panels        []struct {
		ID          int
		Title, Type string
		Targets     []struct{ Expr, RefID string }
		FieldConfig struct {
			Defaults struct {
				Thresholds struct {
					Steps []struct{ Value *float64 }
				}
			}
		}
	}
}

var (
	metricName = regexp.MustCompile(`bellcord_[a-z_]+`)
	groupedBy  = regexp.MustCompile(`by \(([^)]*)\)`)
	selected   = regexp.MustCompile(`([a-z_]+)=~?"`)
)

func TestDashboard_ShowsExactlyTheExportedMetrics(t *testing.T) {
	t.Parallel()
	var board dashboard
	if err := json.Unmarshal([]byte(deployed(t, "grafana.json")), &board); err != nil {
		t.Fatal(err)
	}
	if board.Title == "" || board.SchemaVersion == 0 {
		t.Error("it cannot be imported")
	}
	all, shown, ids := exported(t), map[string]bool{}, map[int]bool{}
	for _, panel := range board.Panels {
		if ids[panel.ID] || len(panel.Targets) == 0 {
			t.Errorf("%s: has an id that is taken, or shows nothing", panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			name := metricName.FindString(target.Expr)
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				name = strings.TrimSuffix(name, part)
			}
			if all[name] == nil {
				t.Errorf("%s: there is no metric %q", panel.Title, name)
			}
			shown[name] = true
			var labels []string
			for _, m := range groupedBy.FindAllStringSubmatch(target.Expr, -1) {
				labels = append(labels, strings.Split(m[1], ", ")...)
			}
			for _, m := range selected.FindAllStringSubmatch(target.Expr, -1) {
				labels = append(labels, m[1])
			}
			for _, label := range labels {
				if !all[name][label] {
					t.Errorf("%s: %s has no label %q", panel.Title, name, label)
				}
			}
		}
	}
	for name := range all {
		if !shown[name] {
			t.Errorf("%s is not shown", name)
		}
	}
}

func TestDashboard_StopLatency_HasTheLimitsOfLaw12(t *testing.T) {
	t.Parallel()
	var board dashboard
	if err := json.Unmarshal([]byte(deployed(t, "grafana.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, panel := range board.Panels {
		if panel.Title != "Stop latency" {
			continue
		}
		var lines []float64
		for _, step := range panel.FieldConfig.Defaults.Thresholds.Steps {
			if step.Value != nil {
				lines = append(lines, *step.Value)
			}
		}
		if len(lines) != 2 || lines[0] != 1 || lines[1] != 10 {
			t.Errorf("lines at %v s, law 12 has them at 1 and 10", lines)
		}
		return
	}
	t.Error("no panel shows how long stops take")
}

func TestSystemdUnit_HasTheSettingsThatAStopNeeds(t *testing.T) {
	t.Parallel()
	settings, section := map[string]string{}, ""
	for line := range strings.Lines(deployed(t, "bellcord.service")) {
		line = strings.TrimSpace(line)
		name, value, pair := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			section = strings.Trim(line, "[]")
		case pair && section != "":
			settings[section+"."+name] = value
		default:
			t.Errorf("what is this? %s", line)
		}
	}
	for name, want := range map[string]string{
		"Service.Type":                 "notify",
		"Service.WatchdogSec":          "30",
		"Service.KillMode":             "mixed", // Bellcord stops the turns itself
		"Service.TimeoutStopSec":       "60",
		"Service.Delegate":             "yes", // Bellcord manages its cgroups
		"Service.ProtectControlGroups": "no",  // and must be able to write to them
		"Service.DynamicUser":          "no",
		"Service.ProtectSystem":        "strict",
		"Service.StateDirectory":       "bellcord",
		"Service.NoNewPrivileges":      "yes",
		"Install.WantedBy":             "multi-user.target",
	} {
		if settings[name] != want {
			t.Errorf("%s=%s, want %s", name, settings[name], want)
		}
	}
	if !strings.HasPrefix(settings["Service.ExecStart"], "/usr/bin/bellcord serve --data-dir %S/bellcord") {
		t.Errorf("it starts %s", settings["Service.ExecStart"])
	}
	if !strings.Contains(settings["Service.SystemCallFilter"], "ptrace") {
		t.Error("processes cannot be halted before they begin")
	}
}

func TestPrometheusConfig_ReadsTheTokenFromAFile(t *testing.T) {
	t.Parallel()
	settings := map[string]string{}
	for line := range strings.Lines(deployed(t, "prometheus.yml")) {
		if strings.Contains(line, "\t") {
			t.Error("YAML has no tabs")
		}
		if name, value, pair := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "- "), ":"); pair && !strings.HasPrefix(line, "#") {
			settings[name] = strings.TrimSpace(value)
		}
	}
	for _, name := range []string{"scrape_configs", "static_configs", "authorization", "targets"} {
		if _, exists := settings[name]; !exists {
			t.Errorf("no %s", name)
		}
	}
	if settings["metrics_path"] != "/metrics" || settings["type"] != "Bearer" || settings["credentials_file"] == "" {
		t.Errorf("%v", settings)
	}
}
