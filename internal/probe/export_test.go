package probe

// GradeHistory exports gradeHistory for tests: probe-1 was stopped during its text, probe-2
// during its tool, and probe-3 is the current prompt.
func GradeHistory(raw []byte, shown string) (grade, observed string) {
	v := gradeHistory(raw, stops{"probe-1", "probe-2", "probe-3", shown})
	return v.grade, v.observed
}
