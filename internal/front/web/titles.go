package web

import "unicode"

// checkTitle refuses a title with invisible characters that change how a line
// is displayed: control characters and those that reverse the direction of
// text.
func checkTitle(title string) error {
	for _, r := range title {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return badInput("title contains %U, a control or direction character; remove it", r)
		}
	}
	return nil
}
