package tool_test

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/repair"
	"pgregory.net/rapid"
)

// The numbers are those of a list of mistakes that models make.
func TestUnderstand_CommonMistake_IsRepaired(t *testing.T) {
	t.Parallel()
	tools := tool.Builtin(nil, nil)
	for _, c := range []struct{ mistake, name, args, wantTool, want string }{
		{"8 file_path", "read_file", `{"file_path":"a.go"}`, "read_file", `{"path":"a.go"}`},
		{"8 filename", "write_file", `{"filename":"a","content":""}`, "write_file", `{"path":"a","content":""}`},
		{"9 old_string", "edit_file", `{"path":"a","old_string":"x","new_string":"y"}`, "edit_file", `{"path":"a","old":"x","new":"y"}`},
		{"9 oldText", "edit_file", `{"path":"a","oldText":"x","newText":"y"}`, "edit_file", `{"path":"a","old":"x","new":"y"}`},
		{"9 before", "edit_file", `{"path":"a","before":"x","after":"y"}`, "edit_file", `{"path":"a","old":"x","new":"y"}`},
		{"9 old_str", "edit_file", `{"path":"a","old_str":"x","new_str":"y"}`, "edit_file", `{"path":"a","old":"x","new":"y"}`},
		{"10 replace_all", "edit_file", `{"path":"a","old":"x","new":"y","replace_all":"True"}`, "edit_file", `{"path":"a","old":"x","new":"y","all":true}`},
		{"10 allow_multiple", "edit_file", `{"path":"a","old":"x","new":"y","allow_multiple":false}`, "edit_file", `{"path":"a","old":"x","new":"y","all":false}`},
		{"11 description", "shell", `{"command":"ls","description":"List files"}`, "shell", `{"command":"ls"}`},
		{"13 numbers", "read_file", `{"path":"a","offset":"10","limit":2.0}`, "read_file", `{"path":"a","offset":10,"limit":2}`},
		{"14 null", "read_file", `{"path":"a","offset":null}`, "read_file", `{"path":"a"}`},
		{"16 object", "write_file", `{"path":"a.json","content":{"b":[1]}}`, "write_file", `{"path":"a.json","content":"{\n  \"b\": [\n    1\n  ]\n}\n"}`},
		{"17 bash -lc", "shell", `{"command":["bash","-lc","ls | wc"]}`, "shell", `{"command":"ls | wc"}`},
		{"17 argv", "shell", `{"command":["git","commit","-m","it's; rm"]}`, "shell", `{"command":"git commit -m 'it'\\''s; rm'"}`},
		{"17 an assignment is a word", "shell", `{"command":["A=1","x"]}`, "shell", `{"command":"'A=1' x"}`},
		{"17 a reserved word is a word", "shell", `{"command":["time","x"]}`, "shell", `{"command":"'time' x"}`},
		{"18 comma", "read_file", `{"path":"a,}",}`, "read_file", `{"path":"a,}"}`},
		{"20 case", "Bash", `{"command":"ls"}`, "shell", `{"command":"ls"}`},
		{"20 prefix", "functions.shell", `{"cmd":"ls"}`, "shell", `{"command":"ls"}`},
		{"20 prefix and number", "functions.Read:0", `{"file_path":"a"}`, "read_file", `{"path":"a"}`},
		{"21 view", "str_replace_based_edit_tool", `{"command":"view","path":"a","view_range":[3,7]}`, "read_file", `{"path":"a","offset":3,"limit":5}`},
		{"21 create", "str_replace_based_edit_tool", `{"command":"create","path":"a","file_text":"x"}`, "write_file", `{"path":"a","content":"x"}`},
		{"21 str_replace", "str_replace_editor", `{"command":"str_replace","path":"a","old_str":"x","new_str":"y"}`, "edit_file", `{"path":"a","old":"x","new":"y"}`},
		{"both keys, same value", "read_file", `{"path":"a","file_path":"\u0061"}`, "read_file", `{"path":"a"}`},
		{"nothing", "read_file", ` { "path" : "a" } `, "read_file", ` { "path" : "a" } `},
	} {
		if strings.HasPrefix(c.mistake, "17") && runtime.GOOS == "windows" {
			continue
		}
		u, err := tool.Understand(tools, c.name, c.args)
		if err != nil || u.Tool.Name != c.wantTool || string(u.Args) != c.want {
			t.Errorf("%s: %s %s, %v", c.mistake, u.Tool.Name, u.Args, err)
		}
	}
}

func TestUnderstand_UnclearCall_IsRefusedWithTheChoices(t *testing.T) {
	t.Parallel()
	tools := tool.Builtin(nil, nil)
	for _, c := range []struct{ mistake, name, args, says string }{
		{"7 undefined", "read_file", `{"path":"undefined"}`, "path is missing"},
		{"7 null", "write_file", `{"file_path":"null","content":"x"}`, "path is missing"},
		{"12 unknown key", "read_file", `{"path":"a","colour":1}`, `unknown field "colour"; the fields are path, offset, limit`},
		{"13 no number", "read_file", `{"path":"a","offset":"ten"}`, `offset must be an integer, but is: string`},
		{"16 object elsewhere", "write_file", `{"path":"a.txt","content":{"b":1}}`, "content must be a string, but is: object"},
		{"18 cut", "shell", `{"command":"rm -rf /tmp/x`, "not a complete JSON object"},
		{"18 cut after a comma", "shell", `{"command":"ls",`, "not a complete JSON object"},
		{"21 no such tool", "browse", `{}`, `unknown tool "browse"; the tools are read_file, write_file, edit_file`},
		{"21 insert", "str_replace_based_edit_tool", `{"command":"insert","path":"a"}`, `has no command "insert"; use read_file, write_file or edit_file`},
		{"both keys", "shell", `{"command":"ls","cmd":"rm x"}`, `"command" and "cmd" mean the same argument but have different values; send only "command"`},
		{"two aliases", "edit_file", `{"path":"a","before":"x","old_str":"z","new":"y"}`, `"before" and "old_str" mean the same`},
		{"a key twice", "shell", `{"cmd":"ls","cmd":"rm x"}`, `unknown field "cmd"`},
		{"a prefix of nobody", "evil.shell", `{"command":"ls"}`, `unknown tool "evil.shell"`},
	} {
		if u, err := tool.Understand(tools, c.name, c.args); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %s %s, %v", c.mistake, u.Tool.Name, u.Args, err)
		}
	}
}

// A tool with the exact name is never taken for another one, and tools that are
// not built in get their arguments as written.
func TestUnderstand_OtherTools_AreNotRepaired(t *testing.T) {
	t.Parallel()
	own := tool.ReadFile()
	own.Name, own.Check = "Bash", func(json.RawMessage) error { return nil }
	u, err := tool.Understand(append(tool.Builtin(nil, nil), own), "Bash", `{"cmd":"ls","description":null}`)
	if err != nil || u.Tool.Name != "Bash" || string(u.Args) != `{"cmd":"ls","description":null}` {
		t.Errorf("%s %s, %v", u.Tool.Name, u.Args, err)
	}
}

// A repaired call is decided by permission rules like the same call without
// mistakes, and a second repair changes nothing.
func TestUnderstand_AnyRepairableCall_IsDecidedLikeTheCorrectCall(t *testing.T) {
	t.Parallel()
	tools, dir := tool.Builtin(nil, nil), t.TempDir()
	policy, err := permit.NewPolicy([]string{"shell(git status)", "edit_file(docs/*)"}, []string{"shell(rm *)", "write_file(secret*)", "read_file(secret*)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		correct := drawCall(t)
		wrong := correct.withMistakes(t)
		want, err := tool.Understand(tools, correct.name, correct.json())
		if err != nil || string(want.Args) != correct.json() {
			t.Fatalf("the correct call %s %s became %s (%v)", correct.name, correct.json(), want.Args, err)
		}
		got, err := tool.Understand(tools, wrong.name, wrong.json())
		if err != nil || got.Tool.Name != want.Tool.Name || string(got.Args) != string(want.Args) {
			t.Fatalf("%s %s became %s %s (%v), want %s", wrong.name, wrong.json(), got.Tool.Name, got.Args, err, want.Args)
		}
		again, err := tool.Understand(tools, got.Tool.Name, string(got.Args))
		if err != nil || string(again.Args) != string(got.Args) {
			t.Fatalf("a second repair turned %s into %s (%v)", got.Args, again.Args, err)
		}
		one, other := got.Tool.Permission(dir, got.Args), want.Tool.Permission(dir, want.Args)
		if !reflect.DeepEqual(one, other) {
			t.Fatalf("permission %+v, want %+v", one, other)
		}
		for _, mode := range permit.Modes {
			if a, b := policy.Decide(permit.Session{}, mode, one), policy.Decide(permit.Session{}, mode, other); a != b {
				t.Fatalf("%s: %+v, want %+v", mode, a, b)
			}
		}
	})
}

// drawnCall is a call with its arguments in order.
type drawnCall struct {
	name  string
	pairs []pair
}

type pair struct{ key, value string }

func (c drawnCall) json() string {
	var all []string
	for _, p := range c.pairs {
		all = append(all, quote(p.key)+":"+p.value)
	}
	return "{" + strings.Join(all, ",") + "}"
}

func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func drawCall(t *rapid.T) drawnCall {
	path := pair{"path", quote(rapid.SampledFrom([]string{"a.go", "docs/b.md", "secret.txt", ".git/config"}).Draw(t, "path"))}
	text := func(name string) pair { return pair{name, quote(name + rapid.String().Draw(t, name))} }
	number := pair{"offset", rapid.SampledFrom([]string{"1", "20"}).Draw(t, "offset")}
	flag := func(name string) pair {
		return pair{name, rapid.SampledFrom([]string{"true", "false"}).Draw(t, name)}
	}
	command := pair{"command", quote(rapid.SampledFrom([]string{"git status", "rm x", "git status; rm x", "ls"}).Draw(t, "command"))}
	return rapid.SampledFrom([]drawnCall{
		{"read_file", []pair{path, number}},
		{"write_file", []pair{path, text("content")}},
		{"edit_file", []pair{path, text("old"), text("new"), flag("all")}},
		{"shell", []pair{command, flag("background")}},
	}).Draw(t, "call")
}

// withMistakes returns the call with random mistakes that repair has an entry
// for.
func (c drawnCall) withMistakes(t *rapid.T) drawnCall {
	wrong := drawnCall{name: rapid.SampledFrom([]string{"", "functions.", "default_api:", "tool."}).Draw(t, "prefix") + c.name}
	for _, p := range c.pairs {
		key := rapid.SampledFrom(append([]string{p.key}, repair.Keys(c.name, p.key)...)).Draw(t, "key")
		value := p.value
		if value[0] != '"' && rapid.Bool().Draw(t, "as text") {
			value = quote(value)
		}
		wrong.pairs = append(wrong.pairs, pair{key, value})
		if key != p.key && rapid.Bool().Draw(t, "twice") {
			wrong.pairs = append(wrong.pairs, pair{p.key, p.value})
		}
		if rapid.Bool().Draw(t, "explained") {
			wrong.pairs = append(wrong.pairs, pair{"note", "null"})
		}
	}
	if rapid.Bool().Draw(t, "described") {
		wrong.pairs = append(wrong.pairs, pair{"description", quote("rm -rf /")})
	}
	var seen []pair // a key twice is refused
	has := map[string]bool{}
	for _, p := range wrong.pairs {
		if !has[p.key] {
			seen = append(seen, p)
		}
		has[p.key] = true
	}
	wrong.pairs = seen
	return wrong
}
