package chat

import "strings"

// Theme selects the colours of the screen. All of them are among the sixteen
// colours of the terminal, so the terminal's own theme decides how they look.
type Theme string

// The themes. Every theme shows the same attributes, signs and words: colour is
// never the only difference.
const (
	ThemeAuto  Theme = "auto"  // as the background that the terminal reports; dark if it reports none
	ThemeDark  Theme = "dark"  // for a dark background
	ThemeLight Theme = "light" // for a light background: without yellow and cyan, which are hard to read there
	ThemePlain Theme = "plain" // without colours
)

// palettes replace the colours of the dark theme.
var palettes = map[Theme]*strings.Replacer{
	ThemeAuto: nil, ThemeDark: nil, // unchanged
	ThemeLight: strings.NewReplacer(yellow, magenta, magenta, blue, cyan, blue),
	ThemePlain: strings.NewReplacer(red, "", green, "", yellow, "", magenta, "", cyan, "", blue, ""),
}

// Background sets the background that the terminal reports. Only the theme auto
// depends on it.
func (m *Model) Background(dark bool) { m.light = !dark }

// coloured returns a line of the screen in the colours of the theme.
func (m *Model) coloured(l string) string {
	theme := m.theme
	if theme == ThemeAuto && m.light {
		theme = ThemeLight
	}
	if palette := palettes[theme]; palette != nil {
		return palette.Replace(l)
	}
	return l
}

// colouredAll returns lines in the colours of the theme.
func (m *Model) colouredAll(lines []string) []string {
	for i, l := range lines {
		lines[i] = m.coloured(l)
	}
	return lines
}
