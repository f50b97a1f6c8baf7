// Package nearest finds the existing name that a misspelled one probably stands
// for.
package nearest

import "strings"

// Name returns the candidate closest to word, ignoring case: one that begins
// with word, or else the one with the fewest typing mistakes. It returns "" if
// no candidate is close enough to suggest. Of equally close candidates it
// returns the first.
func Name(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, fewest := "", len([]rune(word))/2+1
	for _, c := range candidates {
		lower := strings.ToLower(c)
		mistakes := distance([]rune(word), []rune(lower))
		if len(word) > 1 && strings.HasPrefix(lower, word) {
			mistakes = 0
		}
		if mistakes < fewest {
			best, fewest = c, mistakes
		}
	}
	return best
}

// distance returns the number of insertions, deletions, replacements and swaps
// of neighbours that turn a into b.
func distance(a, b []rune) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := above[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(above[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{above, row, before}
	}
	return rows[1][len(b)]
}
