package gemini

import (
	"errors"
	"fmt"

	"google.golang.org/genai"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// The finish reasons in our words.
const (
	finishStop     = "stop"
	finishCalls    = "tool_calls"
	finishLength   = "length"
	finishFiltered = "content_filter"
)

var errNameless = errors.New("the model called a tool without naming it")

// end judges how the stream ended; err is the SDK's word, which is nil also for
// a stream that just ceased. What breaks after the finish reason takes nothing
// from the answer.
func (a *answer) end(err error) error {
	var told genai.APIError
	switch {
	case errors.As(err, &told):
		return toldInStream(told)
	case err != nil:
		return plain(err)
	case a.finish != "" || a.blocked:
		return nil
	default:
		return wire.Cut(a.wire.err)
	}
}

// reply is only asked for when the answer is complete.
func (a *answer) reply() (llm.Reply, error) {
	finish, err := a.finished()
	if err != nil {
		return llm.Reply{}, err
	}
	taken := map[string]bool{}
	for i := range a.calls {
		call := &a.calls[i]
		if call.Name == "" {
			return llm.Reply{}, errNameless
		}
		if call.ID == "" {
			call.ID = fmt.Sprintf("%s_%d", call.Name, i)
		}
		for taken[call.ID] {
			call.ID = fmt.Sprintf("%s_%d", call.ID, i)
		}
		taken[call.ID] = true
		if call.Args == "" && finish != finishLength {
			call.Args = noArgs
		}
	}
	return llm.Reply{Finish: finish, Calls: a.calls, Usage: a.usage}, nil
}

// finished is the finish reason in our words. A model that failed to write a
// call may well succeed the next time; of what we do not know we say the same.
func (a *answer) finished() (string, error) {
	switch a.finish {
	case "": // the prompt was blocked
		return finishFiltered, nil
	case genai.FinishReasonStop:
		if len(a.calls) > 0 {
			return finishCalls, nil
		}
		return finishStop, nil
	case genai.FinishReasonMaxTokens:
		return finishLength, nil
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonLanguage, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		return finishFiltered, nil
	case genai.FinishReasonContinuation:
		return "", wire.Cut(nil)
	default:
		err := fmt.Errorf("the model ended its answer with %s", a.finish)
		if a.wire.finish != "" {
			err = fmt.Errorf("%w: %s", err, a.wire.finish)
		}
		return "", &llm.Failure{Reason: llm.ServerError, Err: err}
	}
}
