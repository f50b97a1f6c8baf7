package page

import (
	"bytes"
	"compress/gzip"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The budgets of the page, compressed with gzip, in bytes.
const (
	mostAtFirst  = 70_000 // everything that index.html loads
	mostOnDemand = 60_000 // all files together that scripts load later
)

var (
	loads     = regexp.MustCompile(`(?:src|href)="(/[^"]+)"`)
	imports   = regexp.MustCompile("(?:from|import)\\s*[`'\"]\\.(/[\\w.-]+)")
	loadLater = regexp.MustCompile("import\\(\\s*[`'\"]\\.(/[\\w.-]+)")
)

// Run it with -v to print the sizes.
func TestPage_Files_FitTheirBudgets(t *testing.T) {
	t.Parallel()
	atFirst := map[string]bool{}
	withImports(atFirst, "/index.html")
	for _, found := range loads.FindAllStringSubmatch(string(files()["/index.html"].content), -1) {
		if !strings.HasSuffix(found[1], ".png") { // an icon of the installed app
			withImports(atFirst, found[1])
		}
	}
	later := map[string]bool{}
	for path := range atFirst {
		for _, found := range loadLater.FindAllStringSubmatch(string(files()[path].content), -1) {
			withImports(later, found[1])
		}
	}
	maps.DeleteFunc(later, func(path string, _ bool) bool { return atFirst[path] })
	first, rest := total(t, atFirst), total(t, later)
	t.Logf("first load %.1f kB of %d kB, on demand %.1f kB of %d kB (gzip)", float64(first)/1000, mostAtFirst/1000, float64(rest)/1000, mostOnDemand/1000)
	if first < 10_000 || first > mostAtFirst {
		t.Errorf("the first load has %d bytes, at most %d are allowed", first, mostAtFirst)
	}
	if rest == 0 || rest > mostOnDemand {
		t.Errorf("the files on demand have %d bytes, at most %d are allowed", rest, mostOnDemand)
	}
}

// withImports adds a file and the scripts that it imports.
func withImports(all map[string]bool, path string) {
	if all[path] {
		return
	}
	all[path] = true
	if !strings.HasSuffix(path, ".js") {
		return
	}
	for _, found := range imports.FindAllStringSubmatch(string(files()[path].content), -1) {
		withImports(all, found[1])
	}
}

func total(t *testing.T, paths map[string]bool) int {
	t.Helper()
	sum := 0
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		sum += compressed(t, path)
	}
	return sum
}

func compressed(t *testing.T, path string) int {
	t.Helper()
	f, exists := files()[path]
	if !exists {
		t.Fatalf("the page loads %s, which is not built", path)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(f.content) // a buffer takes everything
	_ = w.Close()
	t.Logf("%s %.1f kB", path, float64(out.Len())/1000)
	return out.Len()
}
