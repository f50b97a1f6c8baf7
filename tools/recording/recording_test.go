package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

const twoScreens = "\x1e0\n2,0,1\n› \n" +
	"\x1e80\n2,0,1\n› \n" +
	"\x1e160\n0,1,0\n\x1b[32m● running\x1b[39m <b>\n\x1b[2mdim\n\x1b[0;1mbold\n\x1dmoment\n"

func parsed(t *testing.T, text string) recording {
	t.Helper()
	r, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecording_UnchangedScreen_IsOmitted(t *testing.T) {
	t.Parallel()
	r := parsed(t, twoScreens)
	if len(r.frames) != 2 || r.frames[1].at.Milliseconds() != 160 {
		t.Errorf("%+v", r.frames)
	}
	if still := r.marked["moment"]; len(still.rows) != 3 || still.cursor.shown {
		t.Errorf("%+v", still)
	}
}

func TestRecording_Truncated_IsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\x1e", "\x1ex\n0,0,1\n", "\x1e0\nnowhere\n"} {
		if r, err := parse(text); err == nil {
			t.Errorf("%q was taken for %+v", text, r)
		}
	}
}

func TestStretches_Colour_ContinuesUntilReset(t *testing.T) {
	t.Parallel()
	first, after := stretches("a\x1b[1;38;5;9mb c\x1b[2m", style{})
	if len(first) != 2 || first[1] != (stretch{1, "b c", style{colour: palette[9], bold: true}}) {
		t.Errorf("%+v", first)
	}
	next, _ := stretches("d\x1b[22m\x1b[38;2;1;2;3me\x1b[0mf", after)
	want := []stretch{{0, "d", style{colour: palette[9], bold: true, dim: true}}, {1, "e", style{colour: "#010203"}}, {2, "f", style{}}}
	for i, w := range want {
		if next[i] != w {
			t.Errorf("%+v, not %+v", next[i], w)
		}
	}
}

func TestFilm_Output_IsWellFormedAndWithoutScripts(t *testing.T) {
	t.Parallel()
	picture := film("a <title>", parsed(t, twoScreens).frames)
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "image") {
			t.Errorf("there is a %s in it", e.Name.Local)
		}
	}
	for _, want := range []string{"● running", "&lt;b&gt;", "step-end infinite", "prefers-reduced-motion"} {
		if !strings.Contains(picture, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if still := film("", parsed(t, twoScreens).frames[:1]); strings.Contains(still, "keyframes") {
		t.Error("a still moves")
	}
}

func TestDrawn_ReversedText_HasABarOfItsColour(t *testing.T) {
	t.Parallel()
	parts, _ := stretches("a\x1b[7m \x1b[27mb\x1b[32;7mc\x1b[0m", style{})
	picture := drawn(parts)
	for _, want := range []string{
		`<rect x="8.4" y="1" width="8.4" height="18" fill="` + ink + `"/>`,
		`<rect x="25.2" y="1" width="8.4" height="18" fill="` + palette[2] + `"/>`,
		`style="fill:` + ground + `">c</text>`,
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("it does not contain %q: %s", want, picture)
		}
	}
	if n := strings.Count(picture, "<rect"); n != 2 {
		t.Errorf("%d bars, want 2", n)
	}
}
