package bellcord_test

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/bellcord/bellcord"

// allowedImports lists the packages of this module that each package may import;
// the longest prefix counts. A package that is not listed may import none of them.
// "" is the root package.
var allowedImports = map[string][]string{
	"":                           {},
	"lifecycle":                  {"", "store", "internal/plural"},
	"history":                    {"", "internal/clip", "store"},
	"store":                      {""},
	"internal/serverstore":       {""},
	"hub":                        {"", "history", "hub/internal/commitlog", "internal/clip", "internal/realdir", "lifecycle", "store"},
	"hub/internal/commitlog":     {"", "store"},
	"internal/clip":              {},
	"internal/realdir":           {},
	"proc":                       {},
	"internal/sandbox":           {"internal/sandbox/stage"},
	"internal/sandbox/stage":     {},
	"internal/jsonrpc":           {},
	"internal/acp":               {},
	"internal/acp/blocks":        {"", "internal/acp"},
	"internal/acp/v2":            {"internal/acp"},
	"internal/acp/upgrade":       {"internal/acp", "internal/acp/v2"},
	"api":                        {"", "store"},
	"internal/auth":              {"", "internal/serverstore"},
	"internal/autostart":         {"internal/durable"},
	"client":                     {"", "api", "store"},
	"internal/editor":            {"internal/durable"},
	"internal/config":            {"internal/permit", "internal/secret"},
	"internal/systemd":           {},
	"internal/telemetry":         {"", "hub", "store"},
	"internal/telemetry/otlp":    {},
	"internal/testkit/short":     {},
	"internal/testkit/typecheck": {},
	"internal/transcript":        {"", "internal/plainjson"},
	"internal/ignore":            {},
	"internal/nearest":           {},
	"internal/plainjson":         {},
	"internal/plural":            {},
	"internal/visible":           {},
	"internal/secret":            {},
	"internal/sessionid":         {""},
	"internal/permit":            {"internal/nearest"},
	"internal/piped":             {},
	"internal/llm":               {""},
	"internal/llm/wire":          {"internal/llm"},
	"internal/llm/rules":         {""},
	"internal/llm/openai":        {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/responses":     {"", "internal/llm", "internal/llm/openai", "internal/llm/wire"},
	"internal/llm/anthropic":     {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/gemini":        {"", "internal/llm", "internal/llm/wire"},
	"internal/llm/fakemodel":     {"internal/piped"},
	"internal/tool": {
		"", "proc", "internal/llm", "internal/permit", "internal/plural", "internal/realdir", "internal/secret",
		"internal/tool/command", "internal/tool/edit", "internal/tool/lsp", "internal/tool/repair", "internal/tool/search", "internal/tool/syntax", "internal/tool/web", "internal/tool/workspace",
		"internal/confine",
		"internal/sandbox/netproxy", "history",
	},
	"internal/confine":              {"", "internal/filelock", "internal/realdir", "internal/sandbox", "internal/sandbox/netproxy", "proc"},
	"internal/tool/workspace":       {"internal/nearest", "internal/permit", "internal/realdir"},
	"internal/tool/search":          {"internal/ignore", "internal/plural", "internal/tool/workspace"},
	"internal/tool/command":         {"internal/secret"},
	"internal/tool/web":             {"internal/publicnet", "internal/tool/workspace"},
	"internal/publicnet":            {},
	"internal/push":                 {"", "internal/publicnet", "internal/serverstore", "store"},
	"internal/sandbox/netproxy":     {"internal/publicnet"},
	"internal/tool/lsp":             {"", "internal/jsonrpc", "internal/secret", "proc"},
	"internal/tool/syntax":          {},
	"internal/undo":                 {"", "internal/durable", "internal/filelock", "internal/realdir", "internal/undo/restore", "internal/undo/snapshot", "internal/undo/tree", "store"},
	"internal/undo/tree":            {},
	"internal/undo/snapshot":        {"internal/durable", "internal/filelock", "internal/ignore", "internal/realdir", "internal/undo/tree"},
	"internal/undo/restore":         {"internal/durable", "internal/realdir", "internal/undo/tree"},
	"internal/tool/edit":            {},
	"internal/tool/repair":          {},
	"internal/form":                 {""},
	"internal/tool/mcp":             {"", "internal/form", "internal/durable", "internal/llm", "internal/permit", "internal/tool", "history"},
	"internal/agent/react":          {"", "history", "hub", "internal/llm", "internal/permit", "internal/realdir", "internal/tool", "internal/tool/workspace", "internal/undo", "internal/clip"},
	"internal/agent/child":          {"", "hub", "internal/acp", "internal/undo", "proc"},
	"internal/agent/child/pi":       {"", "hub", "internal/acp", "internal/acp/blocks", "internal/agent/child", "internal/jsonrpc", "history"},
	"internal/agent/child/acp":      {"", "hub", "internal/acp", "internal/acp/blocks", "internal/agent/child", "internal/form", "internal/jsonrpc", "internal/permit", "proc", "internal/realdir", "internal/secret", "internal/tool", "internal/tool/workspace", "internal/confine", "history"},
	"internal/agent/preset":         {},
	"internal/probe":                {"internal/acp", "internal/jsonrpc", "internal/llm/fakemodel", "internal/websocket", "proc"},
	"store/sqlite":                  {"", "internal/durable", "internal/filelock", "lifecycle", "store/storecheck", "internal/serverstore", "store"},
	"store/postgres":                {"", "lifecycle", "internal/serverstore", "store"},
	"store/storetest":               {"", "history", "store/storecheck", "internal/serverstore", "store"},
	"internal/testkit/authtest":     {"", "internal/serverstore"},
	"internal/testkit/fakegram":     {"internal/piped"},
	"internal/testkit/cmd/fakegram": {"internal/testkit/fakegram"},
	"internal/testkit/llmtest":      {"", "internal/llm", "internal/llm/fakemodel", "internal/piped"},
	"store/storecheck":              {"", "store"},
	"internal/filelock":             {},
	"internal/durable":              {},
	"internal/front/changelist":     {"", "internal/plural"},
	"internal/front/rewind":         {"", "history", "internal/sessionid"},
	"internal/front/slash":          {"internal/nearest"},
	"internal/front/acp":            {"", "hub", "internal/acp", "internal/acp/blocks", "internal/acp/upgrade", "internal/acp/v2", "internal/form", "internal/front/acp/updates", "internal/front/changelist", "internal/front/rewind", "internal/front/slash", "internal/jsonrpc", "internal/plural", "internal/realdir", "internal/visible", "store"},
	"internal/front/acp/updates":    {"", "internal/acp", "internal/acp/blocks", "internal/plural", "internal/visible", "history"},
	"internal/front/line":           {"", "history", "hub", "internal/form", "internal/front/changelist", "internal/plainjson", "internal/plural", "internal/visible", "internal/clip"},
	"internal/front/chats":          {"", "history", "hub", "internal/durable", "internal/form", "internal/front/chats/outbox", "internal/front/line", "internal/front/rewind", "internal/front/slash", "internal/plainjson", "internal/plural", "internal/visible", "store"},
	"internal/front/telegram":       {"", "internal/front/chats", "internal/front/chats/outbox", "internal/front/chats/rights", "internal/front/telegram/wire"},
	"internal/front/chat":           {"", "history", "hub", "internal/form", "internal/front/changelist", "internal/front/line", "internal/front/rewind", "internal/front/slash", "internal/highlight", "internal/plainjson", "internal/plural", "internal/sessionid", "internal/tool/edit", "internal/clip"},
	"internal/front/acpnet":         {"", "hub", "internal/acp", "internal/front/acp", "internal/front/web", "internal/jsonrpc", "internal/websocket"},
	"internal/websocket":            {},
	"internal/acpbridge":            {"", "internal/acp", "internal/websocket"},
	"internal/front/chat/tty":       {"internal/clipboard", "internal/front/chat", "internal/front/line"},
	"internal/clipboard":            {},
	"internal/filefinder":           {"internal/tool/search"},
	"internal/highlight":            {},
	"internal/front/recall":         {"internal/durable", "internal/filelock"},
	"internal/front/chats/outbox":   {},
	"internal/front/telegram/wire":  {"internal/durable", "internal/filelock", "internal/front/chats/outbox"},
	"internal/front/chats/rights":   {"internal/durable", "internal/filelock", "internal/front/chats"},
	"internal/front/web":            {"", "hub", "api", "internal/auth", "internal/front/slash", "internal/front/web/page", "internal/push", "internal/sessionsearch", "internal/transcript", "internal/serverstore", "store"},
	"internal/sessionsearch":        {"", "api", "internal/serverstore"},
	"internal/front/web/page":       {},
	"cmd/bellcord":                  {"*"},
	"tools/compare":                 {},
	"tools/modproxy":                {},
	"tools/shape":                   {},
	"tools/prose":                   {},
	"internal/cluster":              {"", "hub", "store"},
	"laws":                          {"*"},
	"laws/machine":                  {"", "lifecycle", "store"},
	"laws/chaos":                    {"*"},
	"laws/hostile":                  {},
	"bench":                         {"*"},
	"eval":                          {"", "internal/app", "internal/config", "internal/llm/fakemodel", "internal/secret"},
	"peers":                         {"*"},
	"peers/matrix":                  {"internal/probe"},
	"peers/features":                {"internal/agent/preset", "internal/app", "peers/features/internal/drive"},
	"peers/features/internal/drive": {"internal/agent/preset", "internal/jsonrpc", "internal/llm/fakemodel", "proc"},
	"peers/surfaces":                {"", "api", "client", "internal/testkit/fakegram", "internal/llm/fakemodel"},
	"tools/bom":                     {},
	"tools/recording":               {},
	"tools/site":                    {},
	"peers/viewers":                 {"", "api", "client", "internal/llm/fakemodel"},
	"internal/app/backend":          {"", "api", "client", "internal/acpbridge", "internal/app", "internal/config", "internal/filefinder", "internal/front/chat", "internal/front/line", "internal/front/slash", "internal/realdir", "internal/sessionid", "internal/sessionsearch", "internal/websocket", "store"},
	"internal/app/tour":             {"", "internal/app", "internal/app/backend", "internal/config", "internal/front/chat", "internal/plural", "internal/secret"},
	"internal/app/server":           {"", "api", "hub", "internal/app", "internal/auth", "internal/config", "internal/front/acp", "internal/front/acpnet", "internal/front/chats", "internal/front/chats/rights", "internal/front/telegram", "internal/front/telegram/wire", "internal/front/web", "internal/push", "internal/systemd", "internal/telemetry", "store"},
	"internal/app/setup":            {"internal/agent/preset", "internal/app", "internal/app/backend", "internal/autostart", "internal/config", "internal/editor"},
	"internal/app/doctor":           {"", "internal/app", "internal/app/backend", "internal/cluster", "internal/config", "internal/confine", "internal/front/line", "internal/llm", "internal/permit", "internal/secret", "internal/tool/mcp", "proc", "store/postgres", "store/storecheck", "store"},
	"internal/app": {
		"", "api", "hub", "proc", "store/postgres", "store/sqlite", "internal/acp", "internal/agent/child", "internal/agent/child/acp", "internal/agent/child/pi", "internal/agent/preset",
		"internal/agent/react", "internal/auth", "internal/cluster", "internal/config", "internal/durable", "internal/front/acp", "internal/front/web", "internal/llm", "internal/llm/anthropic",
		"internal/llm/fakemodel", "internal/llm/gemini", "internal/llm/openai", "internal/llm/responses", "internal/nearest", "internal/permit", "internal/realdir", "internal/secret",
		"internal/telemetry", "internal/telemetry/otlp", "internal/tool", "internal/tool/lsp", "internal/tool/mcp", "internal/tool/web", "internal/tool/workspace",
		"internal/undo", "internal/undo/snapshot",
		"internal/confine",
		"internal/sandbox", "internal/serverstore", "store",
	},
}

// allowedImporters lists the packages that may import a library from outside this
// module and the standard library: a large library has one importer.
var allowedImporters = map[string][]string{
	"modernc.org/sqlite":                     {"store/sqlite"},
	"github.com/jackc/pgx":                   {"store/postgres", "bench"}, // bench: the bare baseline
	"github.com/nats-io/nats.go":             {"internal/cluster", "bench"},
	"github.com/nats-io/nats-server":         {"bench"},
	"github.com/kardianos/service":           {"internal/autostart"}, // for Windows alone
	"golang.org/x/sys":                       {"cmd/bellcord", "internal/autostart", "internal/filelock", "internal/realdir", "internal/sandbox", "internal/tool/workspace", "internal/undo/restore", "internal/undo/snapshot", "proc", "tools/witness"},
	"github.com/openai/openai-go":            {"internal/llm/openai", "internal/llm/responses"},
	"github.com/anthropics/anthropic-sdk-go": {"internal/llm/anthropic"},
	"mvdan.cc/sh":                            {"internal/permit"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/tool/mcp", "peers/features/internal/drive"}, // the latter: servers for real agents
	"github.com/spf13/cobra":                 {"cmd/bellcord"},
	"github.com/mattn/go-isatty":             {"cmd/bellcord"},
	"github.com/spf13/pflag":                 {"cmd/bellcord"},
	"github.com/pelletier/go-toml":           {"internal/config"},
	"github.com/adrg/xdg":                    {"internal/config"},
	"github.com/coder/websocket":             {"internal/websocket"},
	"github.com/santhosh-tekuri/jsonschema":  {"peers"},
	"github.com/danielgtaylor/huma":          {"internal/front/web"},
	"github.com/coreos/go-oidc":              {"internal/auth"},
	"github.com/prometheus/client_golang":    {"internal/telemetry", "internal/app"},
	"go.opentelemetry.io/otel/sdk":           {"internal/app"},
	"go.opentelemetry.io/otel/exporters":     {"internal/app"},
	"go.opentelemetry.io/otel":               {"internal/telemetry", "internal/app"},
	"go.opentelemetry.io/proto/otlp":         {"internal/telemetry/otlp"},
	"google.golang.org/protobuf":             {"internal/telemetry/otlp"},
	"golang.org/x/term":                      {"cmd/bellcord", "internal/front/chat/tty"},
	"github.com/go-telegram/bot":             {"internal/front/telegram/wire"},
	"charm.land/bubbletea":                   {"internal/front/chat/tty"},
	"github.com/charmbracelet/colorprofile":  {"internal/front/chat/tty"},
	"github.com/charmbracelet/ultraviolet":   {"internal/front/chat/tty"},
	"github.com/charmbracelet/x/ansi":        {"internal/front/chat", "internal/front/chat/tty"},
	"github.com/junegunn/fzf":                {"internal/filefinder"},
	"github.com/yuin/goldmark":               {"tools/site"},
}

func TestPackages_Imports_AreAllowed(t *testing.T) {
	t.Parallel()
	eachImport(t, func(file, pkg, path string) {
		switch {
		case path == module || strings.HasPrefix(path, module+"/"):
			target := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
			if target != pkg && !allows(allowedImports[pkg], target) {
				t.Errorf("%s: %s may not import %s", file, pkg, path)
			}
		case !strings.Contains(strings.Split(path, "/")[0], "."): // standard library
		case pkg == "":
			t.Errorf("%s: the core imports the standard library only, not %s", file, path)
		default:
			if !mayReachOutside(pkg, path) {
				t.Errorf("%s: %s may not import %s", file, pkg, path)
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
func mayReachOutside(pkg, path string) bool {
	longest, may := 0, false
	for lib, in := range allowedImporters {
		if len(lib) > longest && (path == lib || strings.HasPrefix(path, lib+"/")) {
			longest, may = len(lib), allows(in, pkg)
		}
	}
	return may
}

// eachImport reads the imports of every file that is not a test.
func eachImport(t *testing.T, visit func(file, pkg, path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules" || d.Name() == "testdata" || path == "examples") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		if _, known := allowedImports[pkg]; !known {
			t.Errorf("%s: %s is not listed; add it to allowedImports in arch_test.go", path, pkg)
		}
		for _, imp := range f.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			visit(path, pkg, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A template calls methods by names that are known only at run time. A program that
// executes one therefore keeps every exported method of every type: 11 MB of the
// command. gRPC executes templates, too. Cobra imports them, but executes none here.
func TestCommand_Links_NothingThatExecutesTemplates(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./cmd/bellcord").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		importer, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, path := range strings.Fields(imports) {
			if (path == "text/template" || path == "html/template") && importer != "github.com/spf13/cobra" && importer != "html/template" {
				t.Errorf("%s imports %s", importer, path)
			}
		}
	}
}

// go-runewidth v0.0.27 adds 24–46 ms to the start of every command, v0.0.24 does
// not. The requirement is indirect, so an update of another library can raise it
// unnoticed. Measure the start of a command before you change the version.
func TestGoMod_Runewidth_IsTheVersionWithAFastStart(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?m)^\s*github\.com/mattn/go-runewidth (\S+)`).FindStringSubmatch(string(text)); len(found) == 0 || found[1] != "v0.0.24" {
		t.Errorf("go.mod requires go-runewidth %q, expected v0.0.24", found)
	}
}

// A replace directive applies only in this module: who imports the public packages
// or installs the command would get other code than the tests ran.
func TestGoMod_Root_ReplacesNoModule(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?m)^\s*(replace\b.*|.*=>.*)$`).FindString(string(text)); found != "" {
		t.Errorf("go.mod has %q, and go install refuses such a module", found)
	}
}

// The drawing of the public packages in README.md shows the imports that the table
// above allows.
func TestReadme_DrawingOfPackages_EqualsTheImports(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\S+) +→ (.*?)  `).FindAllStringSubmatch(string(readme), -1) {
		drawn[m[1]] = strings.TrimSpace(m[2])
	}
	public := map[string]string{}
	for pkg, imports := range allowedImports {
		if strings.Contains(pkg, "internal") || !slices.Contains([]string{"", "api", "client", "history", "hub", "lifecycle", "proc", "store"}, strings.Split(pkg, "/")[0]) {
			continue
		}
		var names []string
		for _, name := range imports {
			if !strings.Contains(name, "internal") {
				names = append(names, cmp.Or(name, "bellcord"))
			}
		}
		slices.Sort(names)
		public[cmp.Or(pkg, "bellcord")] = strings.Join(names, ", ")
	}
	if !maps.Equal(drawn, public) {
		t.Errorf("README.md draws\n%v\nthe imports are\n%v", drawn, public)
	}
}

func TestPackages_EveryOne_HasAPackageComment(t *testing.T) {
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

// The page is short enough to be read completely.
func TestAgentsPage_Length_IsAtMostAHundredLines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 100 {
		t.Errorf("AGENTS.md has %d lines: describe small packages of one kind in one row", n)
	}
}
