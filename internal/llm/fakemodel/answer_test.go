package fakemodel_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func TestWithAnswer_PromptWithoutMarker_ReturnsConfiguredAnswer(t *testing.T) {
	t.Parallel()
	const answer = "**Bells** ring.\n\n- low\n- high\n\n    and  so on\n"
	cases := []struct {
		prompt, want string
		took         time.Duration
	}{
		{"tell me of [bells]", answer, 9 * 30 * time.Millisecond}, // nine words, and the end of the last line
		{"[say no]", "no", 0},
		{"[slow 3]", "word1 word2 word3", 2 * 30 * time.Millisecond},
		{"once [fast 1] more", "word1", 0},
		{"[usage 1 1] hello", "You said: hello", 0},
	}
	for _, tc := range cases {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, stop := fakemodel.New(fakemodel.WithPace(30*time.Millisecond), fakemodel.WithAnswer(answer)).Pipe()
				defer stop()
				began := time.Now()
				h := chatRead(t, client, pipeURL, chatRequest(tc.prompt, true))
				if took := time.Since(began); h.text != tc.want || took != tc.took {
					t.Errorf("%q after %v, want %q after %v", h.text, took, tc.want, tc.took)
				}
				if h := chatRead(t, client, pipeURL, chatRequest(tc.prompt, false)); h.text != tc.want {
					t.Errorf("in one piece: %q", h.text)
				}
			})
		})
	}
}
