package bellcord_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/bellcord/bellcord"

// rooms says what each room may import of ours; the longest prefix counts. A
// room that is not listed may import nothing of ours. "" is the core.
var rooms = map[string][]string{
	"":                               {},
	"internal/proc":                  {},
	"internal/jsonrpc":               {},
	"internal/api":                   {""},
	"internal/auth":                  {},
	"internal/auth/authtest":         {"internal/auth"},
	"internal/autostart":             {},
	"internal/client":                {"", "internal/api"},
	"internal/editor":                {},
	"internal/config":                {"internal/permit"},
	"internal/systemd":               {},
	"internal/telemetry":             {""},
	"internal/transcript":            {""},
	"internal/permit":                {},
	"internal/piped":                 {},
	"internal/llm":                   {""},
	"internal/llm/wire":              {"internal/llm"},
	"internal/llm/rules":             {""},
	"internal/llm/llmtest":           {"", "internal/llm", "internal/llm/fakemodel", "internal/piped"},
	"internal/llm/openai":            {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/responses":         {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/anthropic":         {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/gemini":            {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/fakemodel":         {"internal/piped"},
	"internal/tool":                  {"", "internal/proc", "internal/llm", "internal/permit"},
	"internal/tool/mcp":              {"", "internal/llm", "internal/permit", "internal/tool"},
	"internal/agent/react":           {"", "internal/llm", "internal/permit", "internal/tool"},
	"internal/agent/child":           {"", "internal/proc"},
	"internal/agent/child/pi":        {"", "internal/agent/child"},
	"internal/agent/child/acp":       {"", "internal/agent/child", "internal/jsonrpc", "internal/permit", "internal/proc", "internal/tool"},
	"internal/agent/preset":          {},
	"internal/probe":                 {"internal/jsonrpc", "internal/proc", "internal/llm/fakemodel"},
	"internal/store/sqlite":          {"", "internal/auth", "internal/filelock"},
	"internal/store/postgres":        {"", "internal/auth"},
	"internal/store/storetest":       {""},
	"internal/fakegram":              {"internal/piped"},
	"internal/filelock":              {},
	"internal/front/acp":             {"", "internal/jsonrpc"},
	"internal/front/line":            {""},
	"internal/front/telegram":        {"", "internal/front/telegram/markup", "internal/front/telegram/outbox", "internal/front/telegram/rights", "internal/front/telegram/wire"},
	"internal/front/chat":            {"", "internal/front/line"},
	"internal/front/chat/tty":        {"internal/front/chat", "internal/front/line"},
	"internal/front/telegram/markup": {},
	"internal/front/telegram/outbox": {},
	"internal/front/telegram/wire":   {"internal/filelock", "internal/front/telegram/outbox"},
	"internal/front/telegram/rights": {"internal/filelock"},
	"internal/front/web":             {"", "internal/api", "internal/auth", "internal/front/web/page", "internal/transcript"},
	"internal/front/web/page":        {},
	"cmd/bellcord":                   {"*"},
	"internal/cluster":               {""},
	"laws":                           {"*"},
	"laws/machine":                   {},
	"laws/chaos":                     {"*"},
	"bench":                          {"*"},
	"peers":                          {"*"},
	"peers/matrix":                   {"internal/probe"},
	"peers/surfaces":                 {"", "internal/api", "internal/client", "internal/fakegram", "internal/llm/fakemodel"},
	"tools/bom":                      {},
	"tools/recording":                {},
	"tools/site":                     {},
	"peers/viewers":                  {"", "internal/api", "internal/client", "internal/llm/fakemodel"},
}

// outside says who may import what is not ours and not the standard library's:
// a fat library is imported by its own room only.
var outside = map[string][]string{
	"modernc.org/sqlite":                     {"internal/store/sqlite"},
	"github.com/jackc/pgx":                   {"internal/store/postgres", "bench"}, // bench: the bare baseline
	"github.com/nats-io/nats.go":             {"internal/cluster", "bench"},
	"github.com/nats-io/nats-server":         {"bench"},
	"github.com/kardianos/service":           {"internal/autostart"}, // for Windows alone
	"golang.org/x/sys":                       {"internal/autostart", "internal/filelock", "internal/proc"},
	"github.com/openai/openai-go":            {"internal/llm/openai", "internal/llm/responses"},
	"github.com/anthropics/anthropic-sdk-go": {"internal/llm/anthropic"},
	"mvdan.cc/sh":                            {"internal/permit"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/tool/mcp"},
	"github.com/spf13/cobra":                 {"cmd/bellcord"},
	"github.com/mattn/go-isatty":             {"cmd/bellcord"},
	"github.com/spf13/pflag":                 {"cmd/bellcord"},
	"github.com/pelletier/go-toml":           {"internal/config"},
	"github.com/adrg/xdg":                    {"internal/config"},
	"github.com/santhosh-tekuri/jsonschema":  {"peers"},
	"github.com/danielgtaylor/huma":          {"internal/front/web"},
	"github.com/coreos/go-oidc":              {"internal/auth"},
	"github.com/prometheus/client_golang":    {"internal/telemetry", "cmd/bellcord"},
	"go.opentelemetry.io/otel/sdk":           {"cmd/bellcord"},
	"go.opentelemetry.io/otel/exporters":     {"cmd/bellcord"},
	"go.opentelemetry.io/otel":               {"internal/telemetry", "cmd/bellcord"},
	"golang.org/x/term":                      {"cmd/bellcord"},
	"github.com/go-telegram/bot":             {"internal/front/telegram/wire"},
	"charm.land/bubbletea":                   {"internal/front/chat/tty"},
	"github.com/charmbracelet/x/ansi":        {"internal/front/chat"},
	"github.com/yuin/goldmark":               {"tools/site"},
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	eachImport(t, func(file, room, path string) {
		switch {
		case path == module || strings.HasPrefix(path, module+"/"):
			target := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
			if target != room && !allows(rooms[room], target) {
				t.Errorf("%s: %s may not import %s", file, room, path)
			}
		case !strings.Contains(strings.Split(path, "/")[0], "."): // standard library
		case room == "":
			t.Errorf("%s: the core imports the standard library only, not %s", file, path)
		default:
			if !mayReachOutside(room, path) {
				t.Errorf("%s: %s may not import %s", file, room, path)
			}
		}
	})
}

func allows(allowed []string, target string) bool {
	for _, a := range allowed {
		if a == "*" || a == target {
			return true
		}
	}
	return false
}

// mayReachOutside goes by the longest prefix, too: a library's heavy half has
// fewer doors than its light one.
func mayReachOutside(room, path string) bool {
	longest, may := 0, false
	for lib, in := range outside {
		if len(lib) > longest && (path == lib || strings.HasPrefix(path, lib+"/")) {
			longest, may = len(lib), allows(in, room)
		}
	}
	return may
}

// eachImport reads the imports of every file that is not a test.
func eachImport(t *testing.T, visit func(file, room, path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "gosdk" || d.Name() == "genai") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		room := filepath.ToSlash(filepath.Dir(path))
		if room == "." {
			room = ""
		}
		if _, known := rooms[room]; !known {
			t.Errorf("%s: %s is not a room yet; add it to arch_test.go", path, room)
		}
		for _, imp := range f.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			visit(path, room, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "node_modules") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		documented[dir] = documented[dir] || f.Doc != nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}
