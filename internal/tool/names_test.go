package tool_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// Rules for edit_file and write_file apply to apply_patch, which no rule can
// name.
func TestBuiltin_Names_MatchNamesInRules(t *testing.T) {
	t.Parallel()
	var names []string
	for _, of := range tool.Builtin(nil, nil) {
		if of.Name != "apply_patch" {
			names = append(names, of.Name)
		}
	}
	names = append(names, "web_search", "update_plan") // web_search needs a configured service, and package react adds update_plan
	if !slices.Equal(names, permit.Builtin) {
		t.Errorf("the tools are %v, rules can name %v", names, permit.Builtin)
	}
}
