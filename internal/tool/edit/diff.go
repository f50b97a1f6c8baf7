package edit

import "slices"

// Hunk is a changed part of a text. Lines are counted from 1.
type Hunk struct {
	OldLine, NewLine int      // of the first removed and the first added line
	Removed, Added   []string // with their line ends
}

// Diff returns the changes from one text to another, in whole lines.
func Diff(before, after string) []Hunk {
	old, replaced := Lines(before), Lines(after)
	var all []Hunk
	for _, h := range diffLines(old, replaced) {
		all = append(all, Hunk{
			OldLine: h.oldAt + 1, NewLine: h.newAt + 1,
			Removed: old[h.oldAt : h.oldAt+h.removed], Added: replaced[h.newAt : h.newAt+h.added],
		})
	}
	return all
}

// change is a run of removed and added lines, by index.
type change struct{ oldAt, removed, newAt, added int }

// mostDifferent limits the search for the shortest difference. Texts that differ
// in more lines are reported as one change.
const mostDifferent = 400

// diffLines returns the shortest difference between two lists of lines.
func diffLines(old, replaced []string) []change {
	head := 0
	for head < min(len(old), len(replaced)) && old[head] == replaced[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(replaced))-head && old[len(old)-1-tail] == replaced[len(replaced)-1-tail] {
		tail++
	}
	a, b := old[head:len(old)-tail], replaced[head:len(replaced)-tail]
	if len(a)+len(b) == 0 {
		return nil
	}
	same, ok := commonLines(a, b)
	if !ok {
		return []change{{head, len(a), head, len(b)}}
	}
	var all []change
	o, r := 0, 0
	for _, s := range append(same, [2]int{len(a), len(b)}) {
		if s[0] > o || s[1] > r {
			all = append(all, change{head + o, s[0] - o, head + r, s[1] - r})
		}
		o, r = s[0]+1, s[1]+1
	}
	return all
}

// commonLines returns the pairs of equal lines of a longest common subsequence,
// with the algorithm of Myers. It returns false if the texts differ too much.
func commonLines(a, b []string) ([][2]int, bool) {
	size := min(len(a)+len(b), mostDifferent)
	reached := make([]int, 2*size+3) // the furthest x on each diagonal
	var history [][]int
	for d := 0; d <= size; d++ {
		history = append(history, append([]int(nil), reached...))
		for k := -d; k <= d; k += 2 {
			i := k + size + 1
			x := reached[i-1] + 1
			if k == -d || k != d && reached[i-1] < reached[i+1] {
				x = reached[i+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reached[i] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(history, len(a), len(b), size), true
			}
		}
	}
	return nil, false
}

// backtrack follows the search from the end to the beginning. history[d] is the
// state before step d.
func backtrack(history [][]int, x, y, size int) [][2]int {
	var same [][2]int
	for d := len(history) - 1; d >= 0; d-- {
		reached, k := history[d], x-y
		fromX, fromY := 0, 0
		if d > 0 {
			from := k - 1
			if k == -d || k != d && reached[k+size] < reached[k+size+2] {
				from = k + 1
			}
			fromX = reached[from+size+1]
			fromY = fromX - from
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			same = append(same, [2]int{x, y})
		}
		x, y = fromX, fromY
	}
	slices.Reverse(same)
	return same
}
