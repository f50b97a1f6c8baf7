package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/secret"
)

func TestLoad_MisspelledRule_IsAnErrorThatDoctorReports(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"bash", "Shell(rm *)", "shel(echo *)"} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte("mode = \"full\"\n[permissions]\ndeny = [\""+rule+"\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := load(t, file)
		if err == nil || !strings.Contains(err.Error(), "did you mean shell?") {
			t.Errorf("%s: %v", rule, err)
		}
		d := New(file, app.Config{Settings: c, Secrets: &secret.Set{}}, err)
		defer d.Close()
		var reported bool
		for _, f := range d.Run(t.Context(), func(string) {}, func(Finding) {}) {
			if f.Check == "configuration" {
				reported = f.Verdict == Broken && strings.Contains(f.Says, "did you mean shell?")
			}
		}
		if !reported {
			t.Errorf("%s: doctor does not report it", rule)
		}
	}
}

func TestDoctor_RuleForAServerThatIsNotConfigured_Warns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	text := "[permissions]\nallow = [\"mcp_files_*\", \"mcp_ticket_read\", \"mcp_*\", \"shell(date)\"]\n[mcp.files]\ncommand = [\"x\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}
	found := New(file, app.Config{Settings: c}, nil).rules(t.Context())
	if len(found) != 1 || found[0].Verdict != Warning || !strings.Contains(found[0].Says, "mcp_ticket_read") {
		t.Errorf("found %+v", found)
	}
}

// load loads and checks a file, with a temporary data directory.
func load(t *testing.T, file string) (config.Config, error) {
	t.Helper()
	c, err := config.Load(file)
	if err != nil {
		return c, err
	}
	c.DataDir = t.TempDir()
	return c, c.Check()
}
