package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/autostart"
)

func TestUnit_TargetWithoutDryRun_IsRefused(t *testing.T) {
	t.Parallel()
	if _, err := (Service{Target: string(autostart.LaunchdUser)}).Unit(); err == nil || !strings.Contains(err.Error(), "--dry-run") {
		t.Errorf("%v", err)
	}
}

func TestUnitSettings_UserService_UsesTheEnvironmentsDataDirectory(t *testing.T) { // not parallel: it sets the environment
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BELLCORD_DATA", data)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("USERPROFILE", os.Getenv("HOME"))
	got, err := Service{ConfigFile: file}.unitSettings(autostart.SystemdUser)
	if err != nil || got.Data != data || got.Config != file || got.Program == "" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = Service{ConfigFile: file}.unitSettings(autostart.SystemdSystem)
	if err != nil || got.Data != "" {
		t.Errorf("the service of the machine: %+v, %v", got, err)
	}
}
