package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestWrite_ExistingFile_IsKeptUnlessForced(t *testing.T) { // not parallel: it sets the environment
	for _, k := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"} {
		t.Setenv(k, "")
	}
	path := filepath.Join(t.TempDir(), "new", "config.toml")
	first, err := Write(t.Context(), path, false)
	if err != nil || first.Path != path || first.Backup != "" || first.Reason == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := config.Exposed(path); err != nil {
		t.Error(err)
	}
	c, err := config.Load(path)
	if err == nil {
		err = c.Check()
	}
	if err != nil || c.Model != first.Model {
		t.Errorf("the file has the model %q, %v", c.Model, err)
	}
	if err := os.WriteFile(path, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), path, false); err == nil || !strings.Contains(err.Error(), "already exists and was not changed") {
		t.Errorf("%v", err)
	}
	second, err := Write(t.Context(), path, true)
	if err != nil || second.Backup != path+".old" {
		t.Fatalf("%+v, %v", second, err)
	}
	if text, err := os.ReadFile(second.Backup); err != nil || string(text) != "# mine\n" {
		t.Errorf("the backup has %q, %v", text, err)
	}
}

func TestChoose_ModelServerOnThisMachine_IsWrittenAsAProvider(t *testing.T) {
	t.Parallel()
	chosen := Choices(t.Context(), Survey{Servers: []ModelServer{{Name: "ollama", URL: "http://127.0.0.1:11434/v1", Models: []string{"llama"}}}})[0]
	if chosen.Model != "ollama/llama" || !strings.Contains(chosen.file(), "[provider.ollama]\nbase_url = \"http://127.0.0.1:11434/v1\"") {
		t.Errorf("%+v: %s", chosen, chosen.file())
	}
}

func TestFile_ExamplesInComments_AreValidSettings(t *testing.T) {
	t.Parallel()
	text := Choice{Model: "fake/fake", Reason: "a test"}.file()
	uncommented := regexp.MustCompile(`(?m)^# ([a-z_]+ = .*|\[.*\])$`).ReplaceAllString(text, "$1")
	if strings.Count(uncommented, "\n#") > strings.Count(text, "\n#")-8 {
		t.Fatalf("the examples were not found in %s", text)
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(uncommented), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path)
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		t.Error(err)
	}
}
