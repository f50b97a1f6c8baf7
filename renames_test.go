package bellcord_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// renames lists every function that renames a file without durable.Replace, with
// the reason. Replacing a file by renaming another one over it loses the content
// of both in a power failure, unless the new file was synced before.
var renames = map[string]string{
	"internal/app/server/listen.go: listenSocket":           "a socket, which has no content",
	"internal/app/setup/write.go: write":                    "keeps the old file under another name",
	"internal/autostart/host_windows.go: writeToFile":       "keeps the old log under another name",
	"internal/autostart/step.go: keep":                      "keeps the old file under another name",
	"internal/confine/tmp.go: setAside":                     "takes a directory that is removed then out of use",
	"internal/durable/durable.go: replace":                  "the function that all others use",
	"internal/front/telegram/wire/journal_file.go: rewrite": "syncs the file and the directory itself, because the file stays open",
	"proc/ledger_unix.go: writeEntry":                       "a power failure ends the processes as well",
	"store/sqlite/backup.go: Restore":                       "the copy is synced, and writing the identity syncs the directory",
	"store/sqlite/backup.go: keepOld":                       "keeps the old database under another name",
	"store/sqlite/identity.go: setAside":                    "keeps the old files under another name",
}

func TestRename_EveryCaller_IsListedWithItsReason(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (slices.Contains([]string{"bench", "examples", "laws", "peers", "testdata", "testkit", "tools", "web"}, d.Name()) || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, name := range renamers(file) {
			found[filepath.ToSlash(path)+": "+name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range found {
		if renames[name] == "" {
			t.Errorf("%s calls os.Rename: use durable.Replace, or list it with its reason", name)
		}
	}
	for name := range renames {
		if !found[name] {
			t.Errorf("%s is listed, but does not call os.Rename: remove it from the list", name)
		}
	}
}

// renamers returns the functions of a file that use os.Rename.
func renamers(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is && s.Sel.Name == "Rename" {
				if pkg, is := s.X.(*ast.Ident); is && pkg.Name == "os" && !slices.Contains(names, f.Name.Name) {
					names = append(names, f.Name.Name)
				}
			}
			return true
		})
	}
	return names
}
