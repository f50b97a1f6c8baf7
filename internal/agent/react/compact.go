package react

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
)

// keptShare is how much of the window stays word for word when a conversation
// is compacted by itself.
const keptShare = 0.2

// errNothing: there is nothing before what has to stay.
var errNothing = errors.New("there is nothing to compact")

const compactInstruction = `Write a summary of this conversation so far. It will replace the conversation: nothing else of it will be available later. Include, where they apply: what the user wants, in the user's own words where the wording matters; what was found out, with the exact names of files, functions and commands; what was changed, and its current state; what failed, and why; what was stopped and may have had effects; what remains to be done, and the next step. Omit what no longer matters. Write only the summary, and call no tools.`

// compactAndRead makes room and returns the request anew. Where nothing can be
// left out it is sent as it is: the model may take it.
func (j *job) compactAndRead(ctx context.Context, req llm.Request) (llm.Request, error) {
	err := j.compact(ctx, int64(keptShare*float64(j.model.Window)), "")
	if errors.Is(err, errNothing) {
		return req, nil
	} else if err != nil {
		return req, err
	}
	return j.request(ctx)
}

// compact puts a summary in the place of the conversation but its last tokens.
// The summary is asked for beside the conversation and becomes part of it by one
// event: until that is durable the old conversation holds, then the new one
// (law 31). A stop before leaves the old one.
func (j *job) compact(ctx context.Context, keep int64, focus string) error {
	history, err := j.w.History(ctx)
	if err != nil {
		return err
	}
	cut := cutAt(history, keep)
	if cut == 0 {
		return errNothing
	}
	summary, err := j.summarize(ctx, history[:cut], focus)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	from := history[len(history)-1].Seq + 1
	if cut < len(history) {
		from = history[cut].Seq
	}
	text := "[This is a summary of the conversation up to here.]\n\n" + summary
	if last := lastPrompt(history); j.w.Prompt.Task == bellcord.TaskAnswer && last < cut {
		text += "\n\n[The user's last request, word for word]\n" + history[last].Text
	}
	if err := j.w.Emit(bellcord.ConversationCompacted{Summary: text, FromSeq: from}); err != nil {
		return err
	}
	return j.w.Sync(ctx)
}

// cutAt is where the last messages begin that have no more than so many tokens
// together. Results stay with their calls.
func cutAt(history []bellcord.Message, keep int64) int {
	cut, sum := len(history), int64(0)
	for i := len(history) - 1; i > 0; i-- {
		sum += llm.Request{Messages: history[i : i+1]}.EstimateTokens()
		if sum > keep {
			break
		}
		if history[i].Role != bellcord.RoleTool {
			cut = i
		}
	}
	return cut
}

func lastPrompt(history []bellcord.Message) int {
	for i := len(history) - 1; i > 0; i-- {
		if history[i].Role == bellcord.RoleUser {
			return i
		}
	}
	return 0
}

func (j *job) summarize(ctx context.Context, history []bellcord.Message, focus string) (string, error) {
	instruction := compactInstruction
	if focus != "" {
		instruction += " Pay special attention to: " + focus
	}
	req := j.requestOf(append(j.shortened(history), bellcord.Message{Role: bellcord.RoleUser, Text: instruction}))
	said, err := j.aside(ctx, "compaction", j.w.Session.Model, j.model, req)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(said) == "" {
		return "", errors.New("compaction: the model wrote no summary")
	}
	return strings.TrimSpace(said), nil
}

// shortened is the conversation as far as the model can read it: long results
// are cut, then the oldest messages left out.
func (j *job) shortened(messages []bellcord.Message) []bellcord.Message {
	messages = slices.Clone(messages)
	fits := func() bool {
		return j.model.Window == 0 || j.scale*float64(j.requestOf(messages).EstimateTokens()) < 0.9*float64(j.model.Window)
	}
	const mostResult = 1000
	for i := 0; i < len(messages) && !fits(); i++ {
		if m := &messages[i]; m.Role == bellcord.RoleTool && len(m.Text) > mostResult {
			m.Text = strings.ToValidUTF8(m.Text[:mostResult], "") + " […]"
		}
	}
	for len(messages) > 1 && !fits() {
		messages = messages[1:]
	}
	return history.Repair(messages)
}
