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

// keptShare is the share of the window that an automatic compaction keeps
// verbatim.
const keptShare = 0.2

// errNothing reports that there are no messages before those that must be kept.
var errNothing = errors.New("there is nothing to compact")

const compactInstruction = `Write a summary of this conversation so far. It will replace the conversation: nothing else of it will be available later. Include, where they apply: what the user wants, in the user's own words where the wording matters; what was found out, with the exact names of files, functions and commands; what was changed, and its current state; what failed, and why; what was stopped and may have had effects; what remains to be done, and the next step. Omit what no longer matters. Write only the summary, and call no tools.`

// compactAndRead compacts the conversation and returns the new request. If
// nothing can be removed it returns req unchanged: the model may accept it.
func (j *job) compactAndRead(ctx context.Context, req llm.Request) (llm.Request, error) {
	err := j.compact(ctx, int64(keptShare*float64(j.model.Window)), "")
	if errors.Is(err, errNothing) {
		return req, nil
	} else if err != nil {
		return req, err
	}
	return j.modelRequest(ctx)
}

// compact replaces the conversation with a summary, except for its last keep
// tokens. The summary is requested in a side request and becomes part of the
// conversation with one event: until that event is durable the old conversation
// applies, afterwards the new one (law 31). A stop before that keeps the old
// one.
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

// cutAt returns the index of the first message to keep, so that the kept
// messages have at most keep tokens in total. Results stay with their calls.
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
	summary, err := j.aside(ctx, "compaction", j.w.Session.Model, j.model, req)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(summary) == "" {
		return "", errors.New("compaction: the model wrote no summary")
	}
	return strings.TrimSpace(summary), nil
}

// shortened returns the part of the conversation that fits the model's window:
// long results are truncated, then the oldest messages removed.
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
