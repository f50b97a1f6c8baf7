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
func (s *state) Background(dark bool) { s.light = !dark }

// coloured gives lines the colours of the theme.
func (s *state) coloured(lines []string) []string {
	theme := s.theme
	if theme == ThemeAuto && s.light {
		theme = ThemeLight
	}
	for i, l := range lines {
		if palette := palettes[theme]; palette != nil {
			lines[i] = palette.Replace(l)
		}
	}
	return lines
}
