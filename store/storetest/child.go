package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/bellcord/bellcord/store"
)

// serve runs a child process: one node that executes a command per input line and
// answers each with a line. It returns at the end of the input.
//
//	accept session turn          → ok 0
//	claim session turn           → ok fence
//	append session turn fence n  → ok seq
//	flood session turn fence     → ok seq, for n = 1, 2, … without end
func serve(open Opener, place string, in io.Reader, out io.Writer) int {
	node, err := open(place)
	if err != nil {
		fmt.Fprintln(out, "failed", err)
		return 1
	}
	defer node.Close()
	fmt.Fprintln(out, "ok 0")
	for lines := bufio.NewScanner(in); lines.Scan(); {
		fmt.Fprintln(out, obey(node, lines.Text(), out))
	}
	return 0
}

func obey(node Node, line string, out io.Writer) string {
	word, rest, _ := strings.Cut(line, " ")
	var c claimed
	var n int64
	_, _ = fmt.Sscan(rest, &c.session, &c.turn, &c.fence, &n) // each command uses only some of the fields
	switch word {
	case "accept":
		return commitLine(node, acceptAs(c.session, c.turn))
	case "claim":
		return commitLine(node, claim(c.session, c.turn))
	case "append":
		return commitLine(node, c.appendTexts(n, fmt.Sprint(n)))
	case "flood":
		for n := int64(1); ; n++ {
			reply := commitLine(node, c.appendTexts(n, fmt.Sprint(n)))
			if !strings.HasPrefix(reply, "ok") {
				return reply
			}
			fmt.Fprintln(out, reply)
		}
	}
	return "failed to understand " + word
}

// commitLine commits an op and returns the result as a line: the number that the
// parent needs, or the error of a rejected op.
func commitLine(node Node, op store.Op) string {
	results, err := node.Commit(context.Background(), []store.Op{op})
	if err != nil {
		return fmt.Sprint("failed ", err)
	}
	r := results[0]
	if r.Err != nil {
		return fmt.Sprint("refused ", r.Err)
	}
	if _, ok := op.(store.AppendEvents); ok && len(r.Events) > 0 {
		return fmt.Sprint("ok ", r.Events[len(r.Events)-1].Seq)
	}
	return fmt.Sprint("ok ", r.Fence)
}
