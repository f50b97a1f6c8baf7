package permit_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

func TestCheckRule_MisspeltTool_NamesTheNearest(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"bash":         `rule "bash": there is no tool bash (did you mean shell?)`,
		"Shell(rm *)":  `rule "Shell(rm *)": there is no tool Shell (did you mean shell?)`,
		"shel(echo *)": `rule "shel(echo *)": there is no tool shel (did you mean shell?)`,
		"Bash(rm *)":   `rule "Bash(rm *)": there is no tool Bash (did you mean shell?)`,
		"terminal":     `rule "terminal": there is no tool terminal (did you mean shell?)`,
		"read(x)":      `rule "read(x)": there is no tool read (did you mean read_file?)`,
		"zzzzzz":       `there is no tool zzzzzz; there are read_file`,
		"x_*":          `there is no tool x_*`,
		"shell(x":      `it is written tool or tool(pattern)`,
	} {
		if err := permit.CheckRule(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", rule, err, want)
		}
	}
	for _, rule := range []string{"shell", "shell(rm *)", "*", "*_file", "read_*", "mcp_*", "mcp_files_*", "mcp_files_write(x)", "m*", "fetch(https://*)"} {
		if err := permit.CheckRule(rule); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
