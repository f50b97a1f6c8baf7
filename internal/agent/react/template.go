package react

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"
)

// fill executes a template in the syntax of text/template with data of maps, lists,
// texts and flags. The package text/template itself calls methods by names that it
// learns at run time. A program that links it keeps every exported method of every
// type, which are 11 MB in this program.
//
// Not supported are the functions html, js, urlquery, slice and call, templates in
// templates, and ranges over a number.
func fill(text string, data map[string]any) (string, error) {
	names := map[string]any{"and": true, "or": true} // the parser needs only the names
	for name := range functions {
		names[name] = true
	}
	trees, err := parse.Parse("system prompt", text, "", "", names)
	if err != nil {
		return "", err
	}
	f := &filler{tree: trees["system prompt"], vars: []variable{{"$", data}}}
	if f.tree == nil || f.tree.Root == nil { // nothing but blanks and comments
		return "", nil
	}
	err = f.list(data, f.tree.Root)
	return f.out.String(), err
}

// filler is one execution of a template.
type filler struct {
	tree *parse.Tree
	out  strings.Builder
	vars []variable // the innermost is the last
}

type variable struct {
	name  string
	value any
}

// These leave the innermost {{range}}; the parser refuses them elsewhere.
var errBreak, errContinue = errors.New("break"), errors.New("continue")

func (f *filler) list(dot any, nodes *parse.ListNode) error {
	if nodes == nil {
		return nil
	}
	defer f.leave(len(f.vars))
	for _, n := range nodes.Nodes {
		if err := f.node(dot, n); err != nil {
			return err
		}
	}
	return nil
}

// leave forgets the variables of a block.
func (f *filler) leave(outside int) { f.vars = f.vars[:outside] }

func (f *filler) node(dot any, n parse.Node) error {
	switch n := n.(type) {
	case *parse.TextNode:
		f.out.Write(n.Text)
	case *parse.CommentNode:
	case *parse.ActionNode:
		value, err := f.pipe(dot, n.Pipe)
		if err == nil && len(n.Pipe.Decl) == 0 {
			fmt.Fprint(&f.out, value)
		}
		return err
	case *parse.IfNode:
		return f.branch(dot, &n.BranchNode, func(any) any { return dot })
	case *parse.WithNode:
		return f.branch(dot, &n.BranchNode, func(value any) any { return value })
	case *parse.RangeNode:
		return f.each(dot, n)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	default:
		return f.errorf(n, "%s is not supported in a system prompt", n)
	}
	return nil
}

// branch executes {{if}} or {{with}}; inside returns the dot of the first list.
func (f *filler) branch(dot any, n *parse.BranchNode, inside func(value any) any) error {
	defer f.leave(len(f.vars))
	value, err := f.pipe(dot, n.Pipe)
	switch {
	case err != nil:
		return err
	case truth(value):
		return f.list(inside(value), n.List)
	}
	return f.list(dot, n.ElseList)
}

func (f *filler) each(dot any, n *parse.RangeNode) error {
	defer f.leave(len(f.vars))
	value, err := f.pipe(dot, n.Pipe)
	if err != nil {
		return err
	}
	items, is := value.([]any)
	switch {
	case !is:
		return f.errorf(n, "cannot range over %v", value)
	case len(items) == 0:
		return f.list(dot, n.ElseList)
	}
	for i, item := range items {
		switch decl := n.Pipe.Decl; len(decl) {
		case 2:
			f.set(decl[0].Ident[0], i)
			f.set(decl[1].Ident[0], item)
		case 1:
			f.set(decl[0].Ident[0], item)
		}
		if err := f.list(item, n.List); errors.Is(err, errBreak) {
			break
		} else if err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	return nil
}

// set changes the innermost variable with a name.
func (f *filler) set(name string, value any) {
	for i := len(f.vars) - 1; i >= 0; i-- {
		if f.vars[i].name == name {
			f.vars[i].value = value
			return
		}
	}
}

// pipe returns the value of a pipeline and assigns it to the variables of it.
func (f *filler) pipe(dot any, p *parse.PipeNode) (value any, err error) {
	for i, command := range p.Cmds {
		var last []any
		if i > 0 {
			last = []any{value}
		}
		if value, err = f.command(dot, command, last); err != nil {
			return nil, err
		}
	}
	for _, v := range p.Decl {
		if p.IsAssign {
			f.set(v.Ident[0], value)
		} else {
			f.vars = append(f.vars, variable{v.Ident[0], value})
		}
	}
	return value, nil
}

// command returns the value of a command; last is the value of the command before it
// in the pipeline, if there is one.
func (f *filler) command(dot any, c *parse.CommandNode, last []any) (any, error) {
	name, is := c.Args[0].(*parse.IdentifierNode)
	if !is {
		if len(c.Args)+len(last) > 1 {
			return nil, f.errorf(c, "%s is not a function", c.Args[0])
		}
		return f.value(dot, c.Args[0])
	}
	var args []any
	for _, n := range c.Args[1:] {
		arg, err := f.value(dot, n)
		if err != nil {
			return nil, err
		}
		if args = append(args, arg); decides(name.Ident, arg) {
			return arg, nil
		}
	}
	args = append(args, last...)
	if name.Ident == "and" || name.Ident == "or" {
		if len(args) == 0 {
			return nil, f.errorf(c, "%s needs an argument", name)
		}
		return args[len(args)-1], nil
	}
	result, err := functions[name.Ident](args)
	if err != nil {
		return nil, f.errorf(c, "%s: %v", name, err)
	}
	return result, nil
}

// decides reports whether "and" or "or" needs no further argument.
func decides(name string, arg any) bool {
	return name == "and" && !truth(arg) || name == "or" && truth(arg)
}

// value returns the value of an argument.
func (f *filler) value(dot any, n parse.Node) (any, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return f.field(n, dot, n.Ident)
	case *parse.VariableNode:
		for i := len(f.vars) - 1; i >= 0; i-- {
			if f.vars[i].name == n.Ident[0] {
				return f.field(n, f.vars[i].value, n.Ident[1:])
			}
		}
	case *parse.ChainNode:
		value, err := f.value(dot, n.Node)
		if err != nil {
			return nil, err
		}
		return f.field(n, value, n.Field)
	case *parse.PipeNode:
		defer f.leave(len(f.vars))
		return f.pipe(dot, n)
	case *parse.IdentifierNode:
		return f.command(dot, &parse.CommandNode{Args: []parse.Node{n}}, nil)
	case *parse.BoolNode:
		return n.True, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.NumberNode:
		if n.IsInt {
			return int(n.Int64), nil
		}
		return n.Float64, nil
	}
	return nil, f.errorf(n, "%s has no value", n)
}

func (f *filler) field(n parse.Node, value any, names []string) (any, error) {
	for _, name := range names {
		members, _ := value.(map[string]any)
		member, has := members[name]
		if !has {
			return nil, f.errorf(n, "there is no field %s", name)
		}
		value = member
	}
	return value, nil
}

// errorf returns an error with the position of a node.
func (f *filler) errorf(n parse.Node, format string, args ...any) error {
	at, _ := f.tree.ErrorContext(n)
	return fmt.Errorf("template: %s: "+format, append([]any{at}, args...)...)
}

// truth reports whether a value is neither empty nor zero.
func truth(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case []any:
		return len(v) > 0
	case map[string]any:
		return true // it stands for a struct
	}
	return !reflect.ValueOf(value).IsZero()
}

// functions are those of text/template. The parser knows their names.
var functions = map[string]func(args []any) (any, error){
	"not": func(args []any) (any, error) { return len(args) == 1 && !truth(args[0]), count(args, 1) },
	"eq":  equal,
	"ne": func(args []any) (any, error) {
		same, err := equal(args)
		return same == false, errors.Join(count(args, 2), err)
	},
	"lt":      ordered(func(c int) bool { return c < 0 }),
	"le":      ordered(func(c int) bool { return c <= 0 }),
	"gt":      ordered(func(c int) bool { return c > 0 }),
	"ge":      ordered(func(c int) bool { return c >= 0 }),
	"len":     length,
	"index":   index,
	"print":   func(args []any) (any, error) { return fmt.Sprint(args...), nil },
	"println": func(args []any) (any, error) { return fmt.Sprintln(args...), nil },
	"printf": func(args []any) (any, error) {
		if len(args) > 0 {
			if format, is := args[0].(string); is {
				return fmt.Sprintf(format, args[1:]...), nil
			}
		}
		return nil, errors.New("the first argument is not a format")
	},
}

func count(args []any, want int) error {
	if len(args) != want {
		return fmt.Errorf("%d arguments instead of %d", len(args), want)
	}
	return nil
}

// equal reports whether the first argument equals one of the others.
func equal(args []any) (any, error) {
	if len(args) < 2 {
		return nil, errors.New("there is nothing to compare with")
	}
	for _, other := range args[1:] {
		if a, b := reflect.TypeOf(args[0]), reflect.TypeOf(other); a != b || a == nil || !a.Comparable() {
			return nil, fmt.Errorf("%v and %v cannot be compared", args[0], other)
		}
		if args[0] == other {
			return true, nil
		}
	}
	return false, nil
}

func ordered(holds func(int) bool) func(args []any) (any, error) {
	return func(args []any) (any, error) {
		if err := count(args, 2); err != nil {
			return nil, err
		}
		switch a := args[0].(type) {
		case int:
			if b, is := args[1].(int); is {
				return holds(cmp.Compare(a, b)), nil
			}
		case string:
			if b, is := args[1].(string); is {
				return holds(cmp.Compare(a, b)), nil
			}
		}
		return nil, fmt.Errorf("%v and %v cannot be compared", args[0], args[1])
	}
}

func length(args []any) (any, error) {
	if err := count(args, 1); err != nil {
		return nil, err
	}
	switch v := args[0].(type) {
	case string:
		return len(v), nil
	case []any:
		return len(v), nil
	}
	return nil, fmt.Errorf("%v has no length", args[0])
}

// index returns an item of a list.
func index(args []any) (any, error) {
	if err := count(args, 2); err != nil {
		return nil, err
	}
	items, isList := args[0].([]any)
	i, isNumber := args[1].(int)
	if !isList || !isNumber || i < 0 || i >= len(items) {
		return nil, fmt.Errorf("there is no item %v", args[1])
	}
	return items[i], nil
}
