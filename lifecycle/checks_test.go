package lifecycle_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var checks = flag.String("checks", "", "which checks of decide.go are removed: all, or a part of their names; without it, two that the text of decide.go selects")

// check is a condition in decide.go. Tests must fail without it.
type check struct {
	name     string // function and condition
	from, to int    // byte offsets in the source
	text     string // the replacement
}

// Without any one check of decide.go, the store suite fails on both stores, and
// the model checker finds a violation.
func TestDecide_WithoutOneCheck_StoreAndMachineTestsFail(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the stores and the machine once for each check: left out under -short")
	}
	all := findChecks(t)
	chosen := all
	if *checks == "" {
		chosen = twoOf(t, all)
	}
	for _, c := range chosen {
		if *checks != "all" && !strings.Contains(c.name, *checks) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			overlay := c.remove(t)
			const topics = "TestStore/(replay|claims|fences|ends|stops|early|owners|edits|sessions|stale|take-over)"
			notices(t, overlay, "../store/sqlite", "-run", topics)
			notices(t, overlay, "../store/postgres", "-run", topics)
			notices(t, overlay, "../laws/machine", "-run", "TenMillion", "-steps", "4000000")
		})
	}
}

// twoOf selects two checks by the text of decide.go: a commit always has the same
// result, and a change of a rule selects other checks.
func twoOf(t *testing.T, all []check) []check {
	t.Helper()
	source, err := os.ReadFile("decide.go")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewChaCha8(sha256.Sum256(source)))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:2]
}

// findChecks returns the conditions of decide.go.
func findChecks(t *testing.T) []check {
	t.Helper()
	source, err := os.ReadFile("decide.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "decide.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var found []check
	for _, decl := range file.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is || f.Name.Name == "Result" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				from, to := at(n.Cond.Pos()), at(n.Cond.End())
				found = append(found, check{fmt.Sprintf("%s: %s", f.Name.Name, source[from:to]), from, to, "false"})
			case *ast.ReturnStmt:
				if (f.Name.Name == "owns" || f.Name.Name == "holds") && len(n.Results) == 1 && string(source[at(n.Results[0].Pos()):at(n.Results[0].End())]) != "false" {
					from, to := at(n.Results[0].Pos()), at(n.Results[0].End())
					found = append(found, check{fmt.Sprintf("%s: %s", f.Name.Name, source[from:to]), from, to, "true"})
				}
			}
			return true
		})
	}
	if len(found) < 15 {
		t.Fatalf("only %d checks were found", len(found))
	}
	return found
}

// remove writes decide.go without the check and returns the overlay file that
// replaces the original.
func (c check) remove(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("decide.go")
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "decide.go")
	without := string(source[:c.from]) + c.text + string(source[c.to:])
	if strings.HasPrefix(c.name, "Accept: t != nil") {
		without = strings.Replace(without, "t := f.Turn; false", "t := f.Turn; t == nil && false", 1)
	}
	if err := os.WriteFile(changed, []byte(without), 0o600); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.Abs("decide.go")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {real: changed}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// notices runs tests of a package with the overlay and requires that they fail.
func notices(t *testing.T, overlay, pkg string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-overlay", overlay, "-count=1", "-vet=off", "-failfast", "-timeout=5m", pkg}, args...)...)
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("%s does not notice", pkg)
	case bytes.Contains(out, []byte("build failed")) || bytes.Contains(out, []byte("setup failed")):
		t.Errorf("%s was not built:\n%s", pkg, out)
	default:
		t.Logf("%s notices: %s", pkg, firstFailure(out))
	}
}

func firstFailure(out []byte) string {
	for line := range strings.Lines(string(out)) {
		for _, mark := range []string{".go:", "panic:", "--- FAIL"} {
			if strings.Contains(line, mark) {
				return strings.TrimSpace(line)
			}
		}
	}
	return strings.TrimSpace(string(out))
}
