package edit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Op is the operation of a patch on one file.
type Op string

// The operations.
const (
	Add    Op = "A"
	Update Op = "M"
	Delete Op = "D"
)

// FilePatch is the part of a patch about one file.
type FilePatch struct {
	Op     Op
	Path   string
	MoveTo string // for Update: the new path, or ""
	Text   string // for Add: the content
	chunks []chunk
}

// chunk is one change of a file.
type chunk struct {
	line     int      // in the patch
	anchors  []string // lines that precede the change
	old, new []string
	atEnd    bool
}

const (
	beginMark = "*** Begin Patch"
	endMark   = "*** End Patch"
	eofMark   = "*** End of File"
	moveMark  = "*** Move to: "
)

var (
	opMarks = []struct {
		mark string
		op   Op
	}{{"*** Add File: ", Add}, {"*** Update File: ", Update}, {"*** Delete File: ", Delete}}

	heredoc = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)\A(?:apply_patch\s+)?<<\s*(?:'(\w+)'|"(\w+)"|(\w+))[ \t]*\n(.*)\n(\w+)\s*\z`)
	})
	unifiedRange = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\A-[0-9]+(,[0-9]+)? \+[0-9]+(,[0-9]+)? @@`)
	})
)

// patchLines reads a patch line by line.
type patchLines struct {
	lines []string
	at    int
}

// ParsePatch parses a patch between "*** Begin Patch" and "*** End Patch".
func ParsePatch(text string) ([]FilePatch, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if m := heredoc().FindStringSubmatch(text); m != nil && m[1]+m[2]+m[3] == m[5] {
		text = strings.TrimSpace(m[4])
	}
	p := &patchLines{lines: strings.Split(text, "\n")}
	last := len(p.lines) - 1
	switch {
	case strings.TrimSpace(p.lines[0]) != beginMark:
		return nil, fmt.Errorf("the patch must begin with the line %q", beginMark)
	case strings.TrimSpace(p.lines[last]) != endMark:
		return nil, fmt.Errorf("the patch does not end with the line %q: it was cut off", endMark)
	}
	p.lines, p.at = p.lines[:last], 1
	var all []FilePatch
	for p.at < len(p.lines) {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++
			continue
		}
		f, err := p.file()
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil, errors.New("the patch changes no file")
	}
	return all, nil
}

// header returns the operation and the path of a line, if it begins a file.
func header(line string) (Op, string, bool) {
	line = strings.TrimSpace(line)
	for _, m := range opMarks {
		if path, ok := strings.CutPrefix(line, m.mark); ok {
			return m.op, strings.TrimSpace(path), true
		}
	}
	return "", "", false
}

// file parses the part about one file.
func (p *patchLines) file() (FilePatch, error) {
	op, path, ok := header(p.lines[p.at])
	if !ok {
		return FilePatch{}, fmt.Errorf("line %d of the patch, %q: want \"*** Add File: PATH\", \"*** Update File: PATH\" or \"*** Delete File: PATH\"", p.at+1, p.lines[p.at])
	}
	if path == "" {
		return FilePatch{}, fmt.Errorf("line %d of the patch: the path is missing", p.at+1)
	}
	f := FilePatch{Op: op, Path: path}
	start := p.at + 1
	p.at++
	var err error
	switch op {
	case Add:
		f.Text, err = p.added()
	case Update:
		err = p.updated(&f)
		if err == nil && len(f.chunks) == 0 && f.MoveTo == "" {
			err = fmt.Errorf("line %d of the patch: the update of %s changes nothing", start, path)
		}
	case Delete:
	}
	return f, err
}

// ends reports whether the part about a file ends before the current line.
func (p *patchLines) ends() bool {
	if p.at >= len(p.lines) {
		return true
	}
	_, _, next := header(p.lines[p.at])
	return next
}

func (p *patchLines) added() (string, error) {
	var out strings.Builder
	for ; !p.ends(); p.at++ {
		line := p.lines[p.at]
		text, ok := strings.CutPrefix(line, "+")
		switch {
		case ok:
			out.WriteString(text + "\n")
		case strings.TrimSpace(line) != "":
			return "", fmt.Errorf("line %d of the patch, %q: every line of an added file begins with +", p.at+1, line)
		}
	}
	return out.String(), nil
}

func (p *patchLines) updated(f *FilePatch) error {
	if !p.ends() {
		if to, ok := strings.CutPrefix(strings.TrimSpace(p.lines[p.at]), moveMark); ok {
			f.MoveTo = strings.TrimSpace(to)
			p.at++
		}
	}
	c := chunk{line: p.at + 1}
	flush := func() {
		if len(c.old)+len(c.new) > 0 {
			f.chunks = append(f.chunks, c)
			c = chunk{}
		}
		c.line = p.at + 1
	}
	for ; !p.ends(); p.at++ {
		line := p.lines[p.at]
		anchor, marked := strings.CutPrefix(line, "@@")
		switch {
		case marked:
			flush()
			if anchor = strings.TrimPrefix(anchor, " "); strings.TrimSpace(anchor) != "" && !unifiedRange().MatchString(anchor) {
				c.anchors = append(c.anchors, anchor)
			}
		case strings.TrimSpace(line) == eofMark:
			c.atEnd = true
			flush()
		case line == "":
			c.old, c.new = append(c.old, ""), append(c.new, "")
		case line[0] == ' ':
			c.old, c.new = append(c.old, line[1:]), append(c.new, line[1:])
		case line[0] == '-':
			c.old = append(c.old, line[1:])
		case line[0] == '+':
			c.new = append(c.new, line[1:])
		default:
			return fmt.Errorf("line %d of the patch, %q: a line begins with a space (context), - (removed) or + (added)", p.at+1, line)
		}
	}
	flush()
	return nil
}
