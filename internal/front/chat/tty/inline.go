package tty

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord/internal/front/chat"
)

// inline draws a conversation into the terminal's own scrollback. Finished lines
// are printed once. Below them are the live rows, which every frame replaces.
//
// Between two frames the terminal's cursor stays, hidden, at the first column of
// the first live row, and a frame begins there without moving it. A window can be
// resized at any time, also while a frame is on its way: the terminal then breaks
// rows again and moves the cursor with the text below it, so the frame still
// begins at the right place and no old row is left above it. If the window gets
// lower, terminals drop rows below the cursor, which are live ones. The library's
// renderer leaves the cursor in the input and moves it by the number of rows that
// it has drawn, which is wrong after a resize.
type inline struct {
	out       io.Writer
	profile   colorprofile.Profile
	known     bool     // the profile is set
	synced    bool     // the terminal supports synchronized output
	rows      []string // of the last frame
	alternate bool     // the last frame is on the alternate screen
	focus     bool     // the terminal reports whether it has the focus
}

// The modes of the terminal while the screen is shown. The Kitty protocol and
// modifyOtherKeys distinguish Esc from Alt.
var (
	modesOn = ansi.SetModeBracketedPaste + ansi.ResetModeTextCursorEnable + ansi.SetModifyOtherKeys2 +
		ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes)
	modesOff = ansi.PopKittyKeyboard(1) + ansi.ResetModifyOtherKeys + ansi.SetModeTextCursorEnable + ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent
	queries  = ansi.RequestKittyKeyboard + ansi.RequestModeSynchronizedOutput + ansi.RequestBackgroundColor
	intoAlt  = ansi.SetModeAltScreenSaveCursor + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes)
	outOfAlt = ansi.PopKittyKeyboard(1) + ansi.ResetModeAltScreenSaveCursor
)

// begin sets the modes of the terminal.
func (r *inline) begin() {
	r.rows = nil
	modes := modesOn
	if r.focus {
		modes += ansi.SetModeFocusEvent
	}
	r.write("\r" + modes + queries)
}

// end prints the last lines, removes the live rows and restores the terminal. The
// printed lines stay.
func (r *inline) end(last []string) {
	r.write(r.leaveAlternate() + r.frame(last, []string{"", ""}) + modesOff)
	r.rows = nil
}

// draw prints finished lines above the live rows and replaces the live rows. On
// the alternate screen nothing is printed: finished lines must wait until it is
// left.
func (r *inline) draw(finished []string, s chat.Screen) {
	rows := withCursor(s)
	if len(finished) == 0 && s.Alternate == r.alternate && slices.Equal(rows, r.rows) || len(rows) == 0 {
		return
	}
	r.rows = rows
	var out strings.Builder
	switch {
	case s.Alternate && !r.alternate:
		r.alternate = true
		out.WriteString(intoAlt + ansi.ResetModeTextCursorEnable)
	case !s.Alternate:
		out.WriteString(r.leaveAlternate())
	}
	if s.Alternate {
		out.WriteString(whole(rows))
	} else {
		out.WriteString(r.frame(finished, rows))
	}
	if r.synced {
		r.write(ansi.SetModeSynchronizedOutput + out.String() + ansi.ResetModeSynchronizedOutput)
		return
	}
	r.write(out.String())
}

func (r *inline) leaveAlternate() string {
	if !r.alternate {
		return ""
	}
	r.alternate = false
	return outOfAlt
}

// frame returns the output for finished lines and live rows. It never erases from
// the first row of the window on: tmux moves the content of a window that is
// erased as a whole into its history. Live rows are not wrapped, so that each
// takes one row also in a window that has just become narrower.
func (r *inline) frame(finished, rows []string) string {
	var out strings.Builder
	newRow := func(i int) {
		switch i {
		case 0:
			out.WriteString("\r" + ansi.EraseEntireLine)
		case 1:
			out.WriteString("\r\n" + ansi.EraseScreenBelow)
		default:
			out.WriteString("\r\n")
		}
	}
	for i, l := range finished {
		newRow(i)
		out.WriteString(l)
	}
	for i, l := range rows {
		newRow(len(finished) + i)
		if i == 0 {
			out.WriteString(ansi.ResetModeAutoWrap)
		}
		out.WriteString(l)
	}
	out.WriteString(ansi.SetModeAutoWrap + "\r")
	if n := len(rows) - 1; n > 0 {
		out.WriteString(ansi.CursorUp(n))
	}
	return out.String()
}

// whole returns the output for rows that cover the alternate screen.
func whole(rows []string) string {
	var out strings.Builder
	out.WriteString(ansi.CursorHomePosition + ansi.ResetModeAutoWrap)
	for i, l := range rows {
		if i > 0 {
			out.WriteString("\r\n")
		}
		out.WriteString(ansi.EraseEntireLine + l)
	}
	if len(rows) > 0 {
		out.WriteString("\r" + ansi.SetModeAutoWrap)
	}
	return out.String()
}

// withCursor returns the rows of a screen with its cursor as a reversed cell.
func withCursor(s chat.Screen) []string {
	if s.Y >= len(s.Lines) {
		return s.Lines
	}
	rows := slices.Clone(s.Lines)
	l := rows[s.Y]
	width := ansi.StringWidth(l)
	if s.X >= width {
		rows[s.Y] = l + strings.Repeat(" ", s.X-width) + "\x1b[7m \x1b[27m"
		return rows
	}
	under := ansi.Strip(ansi.Cut(l, s.X, s.X+1))
	if under == "" { // a wide character
		under = ansi.Strip(ansi.Cut(l, s.X, s.X+2))
	}
	rows[s.Y] = ansi.Truncate(l, s.X, "") + "\x1b[7m" + under + "\x1b[27m" + ansi.TruncateLeft(l, s.X+ansi.StringWidth(under), "")
	return rows
}

// write writes output with the colours that the terminal supports.
func (r *inline) write(out string) {
	colours := &colorprofile.Writer{Forward: r.out, Profile: r.profile}
	_, _ = io.WriteString(colours, out) // an error of the terminal ends the program elsewhere
}
