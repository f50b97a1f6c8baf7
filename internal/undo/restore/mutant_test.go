//go:build linux

package restore_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// edit is a change of one source file.
type edit struct{ file, old, new string }

// mutants are changes of the source that break a law. Each of the named tests must
// fail.
var mutants = []struct {
	name  string
	edits []edit
	tests []string
}{
	{
		"without the second look (U7)",
		[]edit{{"apply.go", "if err := r.lookAgain(); err != nil {", "if err := error(nil); err != nil {"}},
		[]string{"TestLawU6AndU7_ProgramWritesAtAnyPoint_KeepsItsBytes"},
	},
	{
		"incomplete files are not told apart by .part (U8)",
		[]edit{{
			"stage.go", "\t\tif !ok {\n",
			"\t\tif number, is := strings.CutSuffix(name, part); is {\n\t\t\ti, _ = strconv.Atoi(number)\n\t\t\tif err := r.name(i, name); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\tcontinue\n\t\t}\n\t\tif !ok {\n",
		}},
		[]string{"TestLawU5AndU8_UndoKilledAtAnyPoint_IsCompletedExactly"},
	},
	{
		"unlink instead of trash (U7)",
		[]edit{{"stage.go", "\tr.held[i] = next\n", "\tr.held[i] = next\n\tif mark == out {\n\t\tdelete(r.held, i)\n\t\treturn r.trash.Remove(next.name(i))\n\t}\n"}},
		[]string{"TestLawU6AndU7_ProgramWritesAtAnyPoint_KeepsItsBytes", "TestLawU7_FileWrittenInTheTrash_IsReportedAndKept", "TestLawU5AndU10AndU15_RandomChangesAndSubsets_EqualsTheMap"},
	},
	{
		"no conflict check (U5, U6, U11)",
		[]edit{
			{"plan.go", "case !now.Equal(c.After):", "case false:"},
			{"displace.go", `if h.mark != "" || !now.Equal(s.After) {`, `if h.mark != "" {`},
			{"displace.go", "case !now.Equal(s.After):", "case false:"},
			{"displace.go", "if found.Equal(s.After) {\n\t\tif err", "if found.Equal(s.After) || true {\n\t\tif err"},
			{"displace.go", "if !found.Equal(s.After) {\n\t\treturn r.putBack", "if !found.Equal(s.After) && false {\n\t\treturn r.putBack"},
		},
		[]string{"TestLawU6_PathChangedSince_IsAConflictAndStays", "TestUndo_TurnsOfTwoSessionsInOneDirectory_TouchesOnlyItsOwn", "TestLawU5AndU10AndU15_RandomChangesAndSubsets_EqualsTheMap", "TestLawU11_TwoProcessesInOneDirectory_TouchesOnlyItsOwnTurn"},
	},
	{
		"bytes of another state are put back (U5)",
		[]edit{{"fold.go", "\t\t\tnewer.Before = c.Before\n", ""}},
		[]string{"TestLawU2AndU5AndU10_RandomScriptsThroughTheSnapshot_EqualsTheCopies", "TestLawU5AndU10AndU15_RandomChangesAndSubsets_EqualsTheMap"},
	},
	{
		"a directory in a setgid directory has the temporary mode (U5)",
		[]edit{{"steps.go", "temporaryMode, temporaryMode|fs.ModeSetgid)", "temporaryMode)"}},
		[]string{"TestUndo_DirectoryInSetgidDirectory_HasItsEarlierMode"},
	},
	{
		"files of git get another time (U9)",
		[]edit{{"stage.go", "\treturn f.Sync()\n", "\tif now, err := r.root.Lstat(\".git/index\"); err == nil {\n\t\t_ = r.root.Chtimes(\".git/index\", now.ModTime(), now.ModTime().Add(1))\n\t}\n\treturn f.Sync()\n"}},
		[]string{"TestLawU9_RealRepositories_EveryGitDirectoryIsIdentical"},
	},
	{
		"paths of git are changed (U9)",
		[]edit{{"plan.go", "case strings.EqualFold(part, \".git\") &&", "case false &&"}},
		[]string{"TestLawU9_PathsInGitDirectories_AreRefused"},
	},
	{
		"a replaced file is not read (U6)",
		[]edit{{"displace.go", "if !found.Equal(s.After) {\n\t\treturn r.putBack", "if !found.Equal(s.After) && false {\n\t\treturn r.putBack"}},
		[]string{"TestUndo_SaveBetweenComparisonAndExchange_IsPutBack"},
	},
	{
		"a created file is not read (U6)",
		[]edit{{"displace.go", "if found.Equal(s.After) {\n\t\tif err", "if found.Equal(s.After) || true {\n\t\tif err"}},
		[]string{"TestUndo_SaveBetweenComparisonAndExchange_IsPutBack"},
	},
	{
		"an earlier save is put back over a later one (U6)",
		[]edit{{"displace.go", "case found.is(own):", "case true:"}},
		[]string{"TestUndo_SavedAgainWhilePuttingBack_KeepsTheLaterSave"},
	},
	{
		"the collection does not look again (U7)",
		[]edit{{"collect.go", "known && !found.Equal(before)", "known && !found.Equal(before) && false"}},
		[]string{"TestLawU7_FileWrittenInTheTrash_IsReportedAndKept"},
	},
	{
		"links in paths are followed (U5)",
		[]edit{
			{"folder.go", "if !before.IsDir() {", "if before == nil {"},
			{"folder.go", "err != nil || !os.SameFile(before, opened) {", "err != nil || opened == nil {"},
			{"plan.go", "p.stateOf(dir); err != nil || now.Kind != tree.Directory {", "p.stateOf(dir); err != nil && now.Kind != tree.Directory {"},
		},
		[]string{"TestUndo_DirectoryReplacedByLink_TouchesNothingBehindIt"},
	},
	{
		"the redo has no bytes from the trash (U10)",
		[]edit{{"collect.go", "if !ok || h.mark != out", "if !ok || h.mark == out"}},
		[]string{"TestLawU5AndU10AndU15_RandomChangesAndSubsets_EqualsTheMap"},
	},
	{
		"an untouched file gets another time (U15)",
		[]edit{{"stage.go", "\treturn f.Sync()\n", "\tif now, err := r.root.Lstat(\"untouched\"); err == nil {\n\t\t_ = r.root.Chtimes(\"untouched\", now.ModTime(), now.ModTime().Add(1))\n\t}\n\treturn f.Sync()\n"}},
		[]string{"TestLawU5AndU15_EveryKindOfChange_RestoresTheTreeAndNothingElse"},
	},
}

// Without any one of its safety measures, the package breaks a law, and a test
// notices it.
func TestUndo_WithoutOneSafetyMeasure_TheNamedTestsFail(t *testing.T) { //nolint:paralleltest // the processes use all processors
	if testing.Short() {
		t.Skip("it builds the package once for each mutant: left out under -short")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			binary := build(t, m.edits)
			for _, name := range m.tests {
				cmd := exec.CommandContext(t.Context(), binary, "-test.run=^"+name+"$", "-test.failfast", "-crashes=150", "-cases=200", "-scripts=200", "-rapid.shrinktime=0s", "-rapid.nofailfile")
				cmd.Dir = t.TempDir()
				switch out, err := cmd.CombinedOutput(); {
				case err == nil:
					t.Errorf("%s does not notice", name)
				case !bytes.Contains(out, []byte("--- FAIL: "+name)):
					t.Errorf("%s did not run: %v\n%s", name, err, out)
				default:
					t.Logf("%s notices: %s", name, firstFailure(string(out)))
				}
			}
		})
	}
}

// build compiles the tests with changed sources.
func build(t *testing.T, edits []edit) string {
	t.Helper()
	dir := t.TempDir()
	replaced := map[string]string{}
	for _, e := range edits {
		original, err := filepath.Abs(e.file)
		if err != nil {
			t.Fatal(err)
		}
		from := original
		if earlier, is := replaced[original]; is {
			from = earlier
		}
		source, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), e.old); n != 1 {
			t.Fatalf("%s contains %q %d times, want once: adapt the mutant", e.file, e.old, n)
		}
		changed := filepath.Join(dir, e.file)
		if err := os.WriteFile(changed, []byte(strings.Replace(string(source), e.old, e.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[original] = changed
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.test")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("the mutant was not built: %v\n%s", err, out)
	}
	return binary
}

func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "_test.go:") && !strings.Contains(line, " points") {
			return strings.TrimSpace(line)
		}
	}
	return "a failure without a message"
}
