package react

// failuresAllowed is the number of times that one call may fail in a row.
const failuresAllowed = 2

// repeatedFailure is the result of a call that failures blocks.
const repeatedFailure = "the same call with the same arguments has failed twice in a row and is not run a third time; " +
	"change the arguments, look at the current state first, or report what prevents it"

// failures counts how often a turn's last call has failed in a row. Models
// repeat a failing call without end. Every other call resets the count, because
// it may have changed the outcome.
type failures struct {
	last  string
	count int
}

// blocks reports whether a call has failed too often in a row to run again.
func (f *failures) blocks(c call) bool {
	return f.count >= failuresAllowed && f.last == c.identity()
}

// add adds a call that has ended.
func (f *failures) add(c call, failed bool) {
	switch id := c.identity(); {
	case !failed:
		*f = failures{}
	case id == f.last:
		f.count++
	default:
		*f = failures{last: id, count: 1}
	}
}

// identity is equal for calls of the same tool with the same arguments. Invalid
// arguments are recorded as an empty object; the error distinguishes them.
func (c call) identity() string {
	return c.Name + "\x00" + string(c.Arguments) + "\x00" + c.ArgumentError
}

// repeated returns why a blocked call is not started.
func (c call) repeated() string {
	if c.ArgumentError != "" {
		return c.ArgumentError + "; " + repeatedFailure
	}
	return repeatedFailure
}
