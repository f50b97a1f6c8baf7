package page

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"
)

// The budgets of the page, compressed with gzip, in bytes.
const (
	mostAtFirst  = 70_000 // everything that index.html loads
	mostOnDemand = 60_000 // all files together that scripts load later
)

var loads = regexp.MustCompile(`(?:src|href)="(/[^"]+)"`)

// Run it with -v to print the sizes.
func TestPage_Files_FitTheirBudgets(t *testing.T) {
	t.Parallel()
	first, later := compressed(t, "/index.html"), 0
	atFirst := map[string]bool{"/index.html": true}
	for _, found := range loads.FindAllStringSubmatch(string(files["/index.html"].content), -1) {
		if atFirst[found[1]] || strings.HasSuffix(found[1], ".png") { // an icon of the installed app
			continue
		}
		atFirst[found[1]] = true
		first += compressed(t, found[1])
	}
	app := string(files["/app.js"].content)
	for _, found := range regexp.MustCompile("import\\([`'\"]\\.(/[\\w.-]+)").FindAllStringSubmatch(app, -1) {
		later += compressed(t, found[1])
	}
	t.Logf("first load %.1f kB of %d kB, on demand %.1f kB of %d kB (gzip)", float64(first)/1000, mostAtFirst/1000, float64(later)/1000, mostOnDemand/1000)
	if first < 10_000 || first > mostAtFirst {
		t.Errorf("the first load has %d bytes, at most %d are allowed", first, mostAtFirst)
	}
	if later == 0 || later > mostOnDemand {
		t.Errorf("the files on demand have %d bytes, at most %d are allowed", later, mostOnDemand)
	}
}

func compressed(t *testing.T, path string) int {
	t.Helper()
	f, exists := files[path]
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
