package permit_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

func TestCheckRule_MisspelledTool_SuggestsNearest(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"bash":         `rule "bash": unknown tool bash (did you mean shell?)`,
		"Shell(rm *)":  `rule "Shell(rm *)": unknown tool Shell (did you mean shell?)`,
		"shel(echo *)": `rule "shel(echo *)": unknown tool shel (did you mean shell?)`,
		"Bash(rm *)":   `rule "Bash(rm *)": unknown tool Bash (did you mean shell?)`,
		"terminal":     `rule "terminal": unknown tool terminal (did you mean shell?)`,
		"read(x)":      `rule "read(x)": unknown tool read (did you mean read_file?)`,
		"zzzzzz":       `unknown tool zzzzzz; the tools are read_file`,
		"x_*":          `unknown tool x_*`,
		"shell(x":      `write it as tool or tool(pattern)`,
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
