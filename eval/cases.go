package main

import (
	"fmt"
	"slices"
)

// testCase is a task that a scripted model solves after one typical mistake.
type testCase struct {
	task    string
	mistake int
	about   string // the mistake, as the table shows it
	source  string // where models make the mistake, or "" for several agents
	setup   string // commands after the task's setup
	play    script
}

// name identifies a case. It is also the name of its model.
func (c testCase) name() string { return fmt.Sprintf("%s-%d", c.task, c.mistake) }

// allCases returns every case, in the order of the mistakes.
func allCases() []testCase {
	all := slices.Concat(argumentCases(), callCases(), editCases(), matchCases(), readCases(), searchCases(), shellCases())
	slices.SortStableFunc(all, func(a, b testCase) int { return a.mistake - b.mistake })
	return all
}
