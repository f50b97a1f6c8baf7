// Package syntax finds syntax errors in source files: Go and JSON by itself,
// other languages with programs that only parse.
package syntax

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Problem is a syntax error.
type Problem struct {
	Line int // 0 if unknown
	Text string
}

// Check returns the syntax errors of a text, and false if it has no check for
// files with this name.
func Check(name, text string) ([]Problem, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".go":
		return checkGo(text), true
	case ".json":
		return checkJSON(text), true
	}
	return nil, false
}

func checkGo(text string) []Problem {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.AllErrors|parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil
	}
	var all []Problem
	for _, e := range list {
		all = append(all, Problem{e.Pos.Line, e.Msg})
	}
	return all
}

func checkJSON(text string) []Problem {
	text = strings.TrimPrefix(text, "\uFEFF")
	var v json.RawMessage
	err := json.Unmarshal([]byte(text), &v)
	if err == nil {
		return nil
	}
	line := 0
	if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
		line = 1 + strings.Count(text[:min(int(wrong.Offset), len(text))], "\n")
	}
	return []Problem{{line, err.Error()}}
}

// Program is a program that reads a text from its input and reports syntax
// errors, without running the text.
type Program struct {
	Args   []string
	Report func(output string) []Problem // for an output of a run that failed
}

var module = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*(import|export)\b`) })

// pythonCheck compiles its input and prints the first error.
const pythonCheck = `import sys
try: compile(sys.stdin.buffer.read(), "file", "exec", dont_inherit=True)
except (SyntaxError, ValueError) as e:
    print("%s: %s" % (getattr(e, "lineno", 0) or 0, getattr(e, "msg", e)))
    sys.exit(1)
`

// Programs returns the programs that can check a text, the best one first; none
// if there is no check.
func Programs(name, text string) []Program {
	first, _, _ := strings.Cut(text, "\n")
	script := strings.HasPrefix(first, "#!")
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case ext == ".py" || script && strings.Contains(first, "python3"):
		return []Program{{[]string{"python3", "-I", "-c", pythonCheck}, lines(`(?m)^(\d+): (.*)$`)}}
	case ext == ".mjs", (ext == ".js") && module().MatchString(text):
		return []Program{{[]string{"node", "--input-type=module", "--check", "-"}, node}}
	case ext == ".js", ext == ".cjs":
		return []Program{{[]string{"node", "--check", "-"}, node}}
	case ext == ".bash" || ext == ".sh" && !script || script && strings.Contains(first, "bash"):
		return []Program{{[]string{"bash", "-n"}, lines(`(?m)^\S*bash: (?:line (\d+): )?(.*)$`)}}
	case script && (strings.HasSuffix(first, "/sh") || strings.HasSuffix(first, " sh")):
		return []Program{{[]string{"sh", "-n"}, lines(`(?m)^\S*sh: (?:line )?(?:(\d+): )?(.*)$`)}}
	}
	return nil
}

// lines returns a report for an output in which each line that matches has a
// number and a text.
func lines(pattern string) func(string) []Problem {
	return func(output string) []Problem {
		var all []Problem
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(output, -1) {
			line, _ := strconv.Atoi(m[1]) // "" is 0
			all = append(all, Problem{line, strings.TrimSpace(m[2])})
		}
		return all
	}
}

func node(output string) []Problem {
	where := lines(`(?m)^\[stdin\]:(\d+)()$`)(output)
	what := lines(`(?m)^()(SyntaxError: .*)$`)(output)
	if len(where) == 0 || len(what) == 0 {
		return nil
	}
	return []Problem{{where[0].Line, what[0].Text}}
}

// New returns the problems that were not there before. Problems with the same
// text count as the same, because an edit moves lines.
func New(before, after []Problem) []Problem {
	left := map[string]int{}
	for _, p := range before {
		left[p.Text]++
	}
	var all []Problem
	for _, p := range after {
		if left[p.Text]--; left[p.Text] < 0 {
			all = append(all, p)
		}
	}
	return all
}
