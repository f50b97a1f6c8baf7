package bellcord_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lawsFile is the contract: each law with its number and the tests that prove it.
const lawsFile = "LAWS.md"

var updateLaws = flag.Bool("update", false, "write the lists of tests in "+lawsFile)

var (
	lawHead = regexp.MustCompile(`(?m)^### Law ([A-Z]?\d+): `)
	// A citation is "law 21", "laws 23 and 28", "laws 15 to 19" or "laws 2, 7, 8".
	citation = regexp.MustCompile(`(?i)\blaws? ([A-Z]?\d+(?:(?:, | and | to |–|-)[A-Z]?\d+)*)`)
	number   = regexp.MustCompile(`[A-Z]?\d+`)
	// A test proves the laws in its name: TestLaw07_…, TestLaw12And13_…, TestLawU7_….
	lawTest = regexp.MustCompile(`^TestLaw((?:[A-Z]?\d+)(?:And[A-Z]?\d+)*)_`)
)

// law is a section of the file, without the list of its tests.
type law struct{ number, text string }

func TestLaws_EveryLaw_HasATestAndTheListIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(lawsFile)
	if err != nil {
		t.Fatal(err)
	}
	head, laws := splitLaws(string(text))
	proofs := lawTests(t)
	var want strings.Builder
	want.WriteString(head)
	for _, l := range laws {
		if len(proofs[l.number]) == 0 {
			t.Errorf("law %s has no test: name one TestLaw%s_…", l.number, l.number)
		}
		body, after, _ := strings.Cut(l.text, "\n## ") // a heading behind the last law of a part
		want.WriteString(strings.TrimRight(body, "\n") + "\n\n*Tests:*\n\n" + bullets(proofs[l.number]))
		if after != "" {
			want.WriteString("\n## " + strings.TrimRight(after, "\n") + "\n")
		}
		want.WriteString("\n")
		delete(proofs, l.number)
	}
	for n, tests := range proofs {
		t.Errorf("%v: there is no law %s in %s", tests, n, lawsFile)
	}
	content := strings.TrimRight(want.String(), "\n") + "\n"
	if *updateLaws {
		if err := os.WriteFile(lawsFile, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if content != string(text) {
		t.Errorf("the lists of tests in %s are out of date: run make reference", lawsFile)
	}
}

func TestLaws_EveryCitation_NamesALawOfTheFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(lawsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, laws := splitLaws(string(text))
	known := map[string]bool{}
	for i, l := range laws {
		if known[l.number] = true; i < 37 && l.number != fmt.Sprint(i+1) {
			t.Errorf("law %s is at the place of law %d", l.number, i+1)
		}
	}
	cited := 0
	for path, text := range ownTexts(t) {
		for _, found := range citation.FindAllStringSubmatch(text, -1) {
			for _, n := range number.FindAllString(found[1], -1) {
				if cited++; !known[strings.ToUpper(n)] {
					t.Errorf("%s cites law %s, which is not in %s", path, n, lawsFile)
				}
			}
		}
	}
	if cited < 100 {
		t.Errorf("only %d citations were found: the test does not look where they are", cited)
	}
	t.Logf("%d laws, %d citations", len(laws), cited)
}

// splitLaws returns what stands before the first law, and the laws without the
// lists of their tests.
func splitLaws(text string) (head string, laws []law) {
	lists := regexp.MustCompile(`(?m)^\*Tests:\*\n\n(?:- .*\n)*\n?`)
	text = lists.ReplaceAllString(text, "")
	places := lawHead.FindAllStringSubmatchIndex(text, -1)
	for i, p := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		laws = append(laws, law{text[p[2]:p[3]], text[p[0]:end]})
	}
	return text[:places[0][0]], laws
}

// lawTests finds the tests of each law, as package.TestName.
func lawTests(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for path, text := range ownTexts(t) {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			if m := lawTest.FindStringSubmatch(f.Name.Name); m != nil {
				for _, n := range number.FindAllString(m[1], -1) {
					n = strings.TrimLeft(n, "0")
					found[n] = append(found[n], fmt.Sprintf("`%s` in %s", f.Name.Name, filepath.ToSlash(filepath.Dir(path))))
				}
			}
		}
	}
	return found
}

func bullets(tests []string) string {
	var b strings.Builder
	for _, test := range slices.Sorted(slices.Values(tests)) {
		fmt.Fprintf(&b, "- %s\n", test)
	}
	return b.String()
}

// ownTexts returns the repository's sources and documents by path, without what is
// installed or built and without this test.
func ownTexts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", ".git", "dist", "bin", "testdata"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || path == "contract_test.go" || !slices.Contains([]string{".go", ".md", ".ts", ".tsx", ".mjs", ".sql"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
