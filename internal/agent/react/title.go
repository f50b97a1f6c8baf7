package react

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/llm"
)

const (
	titleInstruction = "Name the conversation that begins with the following message, in its language, in at most six words. Answer with the name alone."
	mostTitle        = 60   // characters of a title
	mostTitled       = 2000 // bytes of the prompt that are sent for a title
	titleBound       = 20 * time.Second
	titleLinger      = time.Second // how long a finished turn waits for its title
)

// entitle requests a title while the turn runs, if the session's title is still
// its first words. The caller must call finish when the work is done: it waits
// up to titleLinger, then cancels the request. The request does not outlive the
// turn, and a stop cancels it.
func (j *job) entitle(ctx context.Context) (finish func()) {
	s := j.w.Session
	if j.Titles == "" || s.Title != clip.FirstWords(j.w.Prompt.Text) {
		return func() {}
	}
	model, err := j.Model(j.Titles)
	if err != nil {
		return func() {} // a missing title must not fail the turn
	}
	ctx, giveUp := context.WithTimeout(ctx, titleBound)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if title, err := j.aside(ctx, "title", j.Titles, model, titleRequest(model, j.w.Prompt.Text)); err == nil {
			j.w.SetTitle(cleanTitle(title))
		}
	}()
	return func() {
		select {
		case <-done:
		case <-ctx.Done():
		case <-time.After(titleLinger):
		}
		giveUp()
		<-done
	}
}

func titleRequest(model Model, prompt string) llm.Request {
	if len(prompt) > mostTitled {
		prompt = strings.ToValidUTF8(prompt[:mostTitled], "")
	}
	return llm.Request{
		Model: model.Name, System: titleInstruction,
		Messages: []bellcord.Message{{Role: bellcord.RoleUser, Text: prompt}},
	}
}

func cleanTitle(answer string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	title = strings.Trim(strings.TrimSpace(title), "\"'`*#. ")
	if utf8.RuneCountInString(title) > mostTitle {
		title = string([]rune(title)[:mostTitle-1]) + "…"
	}
	return title
}
