package probe

// Told is told for the tests: probe-1 was stopped in its text, probe-2 in its
// tool, and probe-3 is the prompt now.
func Told(raw []byte, shown string) (grade, saw string) {
	v := told(raw, stops{"probe-1", "probe-2", "probe-3", shown})
	return v.grade, v.saw
}
