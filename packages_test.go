package bellcord_test

import (
	"cmp"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const packagesFile = "docs/dev/packages.md"

// packageComments returns the comment of every package, by its directory. The root
// package is ".".
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && path != "."
		if d.IsDir() && (hidden || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		comments[dir] = cmp.Or(comments[dir], f.Doc.Text())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return comments
}

func TestPackagesPage_EveryPackage_IsListed(t *testing.T) {
	t.Parallel()
	want := packagesPage(t)
	if *updateLaws {
		if err := os.WriteFile(packagesFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(packagesFile); err != nil || string(got) != want {
		t.Errorf("%s is not what the package comments say: run make reference (%v)", packagesFile, err)
	}
}

// packagesPage returns the list of packages, from their comments and from
// allowedImports.
func packagesPage(t *testing.T) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(`# Packages

This page lists every package with the first sentence of its comment, and the packages of this module that it may
import: ` + "`arch_test.go`" + ` checks that. [AGENTS.md](../../AGENTS.md) describes the layers.
` + "`make reference`" + ` writes this page.

| package | contents | may import |
|---|---|---|
`)
	comments := packageComments(t)
	for _, dir := range slices.Sorted(maps.Keys(comments)) {
		sentence := new(doc.Package).Synopsis(comments[dir])
		if sentence == "" {
			t.Errorf("the comment of package %s has no first sentence", dir)
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", dir, strings.ReplaceAll(sentence, "|", `\|`), importsOf(dir))
	}
	return page.String()
}

// importsOf returns the packages that a package may import, as text.
func importsOf(dir string) string {
	if dir == "." {
		dir = ""
	}
	allowed, listed := allowedImports[dir]
	switch {
	case !listed: // an example: a separate module
		return "the public packages"
	case slices.Contains(allowed, "*"):
		return "all"
	case len(allowed) == 0:
		return "nothing"
	}
	names := make([]string, len(allowed))
	for i, name := range allowed {
		names[i] = cmp.Or(name, ".")
	}
	slices.Sort(names)
	return "`" + strings.Join(names, "`, `") + "`"
}

// layer is a row of the table in AGENTS.md.
type layer struct{ name, mayImport string }

// layers returns the layers by the paths that the table names.
func layers(t *testing.T) map[string]layer {
	t.Helper()
	text, err := os.ReadFile("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]layer{}
	row := regexp.MustCompile(`(?m)^\| \*\*(\w+)\*\* \| ([^|]+) \| [^|]+ \| ([^|]+) \|`)
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		for _, path := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			if all[path[1]].name != "" {
				t.Errorf("two layers contain %s", path[1])
			}
			if _, err := os.Stat(path[1]); err != nil {
				t.Errorf("there is no package %s", path[1])
			}
			all[path[1]] = layer{cells[1], cells[3]}
		}
	}
	return all
}

// layerOf returns the layer that names the longest beginning of a package's path.
func layerOf(all map[string]layer, dir string) layer {
	above := cmp.Or(dir, ".")
	for all[above].name == "" && strings.Contains(above, "/") {
		above = above[:strings.LastIndex(above, "/")]
	}
	return all[above]
}

func TestAgentsPage_Layers_ContainEveryPackageAndItsImports(t *testing.T) {
	t.Parallel()
	all := layers(t)
	for dir := range packageComments(t) {
		if layerOf(all, dir).name == "" {
			t.Errorf("no layer contains %s", dir)
		}
	}
	for dir, imports := range allowedImports {
		from := layerOf(all, dir)
		if strings.HasPrefix(from.mayImport, "all") {
			continue
		}
		for _, imported := range imports {
			to := layerOf(all, imported)
			if to.name != from.name && !strings.Contains(from.mayImport, to.name) {
				t.Errorf("%s may import %s, but the layer %s may not import the layer %s", dir, imported, from.name, to.name)
			}
		}
	}
}
