package main

import (
	"cmp"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode/utf8"
)

// Dimensions of the picture, in user units.
const (
	cellWidth  = 8.4
	cellHeight = 19
	margin     = 16
	bar        = 34
	columns    = 80
	lastStays  = 3 * time.Second // before it starts over
)

const (
	ground = "#0d1117" // the window's background
	ink    = "#e6edf3" // the default colour of text
)

const styles = `.t{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:` + ink + `;white-space:pre}` +
	`.b{font-weight:700}.d{fill-opacity:.62}.i{font-style:italic}.u{text-decoration:underline}`

// film returns the picture of consecutive screens. They are placed side by side, like the frames of
// a film that moves past a window. Equal rows are stored once. Without motion, because the viewer
// has disabled it or does not support it, the picture shows the last screen.
func film(title string, frames []screen) string {
	rows := 0
	for _, f := range frames {
		rows = max(rows, len(f.rows))
	}
	width, height := columns*cellWidth+2*margin, float64(rows*cellHeight+bar+2*margin)
	var reel reel
	for i, f := range frames {
		reel.addScreen(float64(i)*width, f)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n", width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(&b, "<style>%s%s</style>\n", styles, motion(frames, width))
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%.0f" height="%.0f" rx="10" fill="%s" stroke="#6e7681"/>`+"\n", width-1, height-1, ground)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="19" r="5.5" fill="%s"/>`, 22+20*i, colour)
	}
	fmt.Fprintf(&b, "\n"+`<text class="t d" x="%.0f" y="24" text-anchor="middle">%s</text>`+"\n", width/2, html.EscapeString(title))
	fmt.Fprintf(&b, "<defs>\n%s</defs>\n", reel.rows.String())
	fmt.Fprintf(&b, `<svg x="0" y="%d" width="%.0f" height="%.0f"><g class="film">`+"\n%s</g></svg>\n</svg>\n", bar+margin/2, width, height-bar, reel.frames.String())
	return b.String()
}

// motion returns the style that shows each screen for its recorded duration.
func motion(frames []screen, width float64) string {
	if len(frames) < 2 {
		return ""
	}
	first := frames[0].at
	total := frames[len(frames)-1].at - first + lastStays
	var steps strings.Builder
	for i, f := range frames {
		fmt.Fprintf(&steps, "%.3f%%{transform:translateX(-%.1fpx)}", 100*float64(f.at-first)/float64(total), float64(i)*width)
	}
	last := float64(len(frames)-1) * width
	fmt.Fprintf(&steps, "100%%{transform:translateX(-%.1fpx)}", last)
	return fmt.Sprintf("@keyframes film{%s}.film{transform:translateX(-%.1fpx);animation:film %.2fs step-end infinite}"+
		"@media(prefers-reduced-motion:reduce){.film{animation:none}}", steps.String(), last, total.Seconds())
}

// reel collects the frames and the rows that they use.
type reel struct {
	rows, frames strings.Builder
	classes      map[string]int
}

func (r *reel) addScreen(x float64, f screen) {
	fmt.Fprintf(&r.frames, `<g transform="translate(%.1f)">`, x+margin)
	var now style
	for y, row := range f.rows {
		var parts []stretch
		parts, now = stretches(row, now)
		if text := drawn(parts); text != "" {
			fmt.Fprintf(&r.frames, `<use href="#r%d" y="%d"/>`, r.row(text), y*cellHeight)
		}
	}
	if f.cursor.shown {
		fmt.Fprintf(&r.frames, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" fill-opacity=".7"/>`,
			float64(f.cursor.column)*cellWidth, f.cursor.row*cellHeight+2, cellWidth, cellHeight-2, ink)
	}
	r.frames.WriteString("</g>\n")
}

// row returns the number of the row with this content.
func (r *reel) row(text string) int {
	if r.classes == nil {
		r.classes = map[string]int{}
	}
	n, known := r.classes[text]
	if !known {
		n = len(r.classes)
		r.classes[text] = n
		fmt.Fprintf(&r.rows, "<g id=\"r%d\">%s</g>\n", n, text)
	}
	return n
}

// drawn returns a row's SVG. Each stretch has the width of its columns, independent of the viewer's
// font. Reversed text, such as a cursor, has the colour of the window, on a bar in the colour of the text.
func drawn(parts []stretch) string {
	var b strings.Builder
	for _, p := range parts {
		colour := p.style.colour
		if p.style.invert {
			fmt.Fprintf(&b, `<rect x="%.1f" y="1" width="%.1f" height="%d" fill="%s"/>`,
				float64(p.column)*cellWidth, float64(utf8.RuneCountInString(p.text))*cellWidth, cellHeight-1, cmp.Or(colour, ink))
			colour = ground
		}
		text := strings.TrimLeft(p.text, " ")
		column := p.column + len(p.text) - len(text)
		text = strings.TrimRight(text, " ")
		if text == "" {
			continue
		}
		fill := ""
		if colour != "" {
			fill = fmt.Sprintf(` style="fill:%s"`, colour)
		}
		fmt.Fprintf(&b, `<text class="%s" x="%.1f" y="15" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`,
			p.style.classes(), float64(column)*cellWidth, float64(utf8.RuneCountInString(text))*cellWidth, fill, html.EscapeString(text))
	}
	return b.String()
}

func (s style) classes() string {
	all := "t"
	for _, class := range []struct {
		name string
		on   bool
	}{{"b", s.bold}, {"d", s.dim}, {"i", s.italic}, {"u", s.line}} {
		if class.on {
			all += " " + class.name
		}
	}
	return all
}
