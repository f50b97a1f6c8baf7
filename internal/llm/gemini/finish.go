package gemini

import (
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// endStream decides how the stream ended. err is also nil for a stream that
// ended early. A connection error after the finish reason does not invalidate
// the answer; any other error does.
func (a *answer) endStream(err error) error {
	switch {
	case err != nil && !errors.Is(err, wire.ErrCutOff):
		return err
	case a.finish != "" || a.blocked:
		return nil
	default:
		return wire.Cut(err)
	}
}

// fullReply returns the reply. It must be called only when the answer is
// complete.
func (a *answer) fullReply() (llm.Reply, error) {
	finish, err := a.finished()
	if err != nil {
		return llm.Reply{}, err
	}
	for i := range a.calls {
		if call := &a.calls[i]; call.Args == "" && finish != bellcord.FinishMaxOutput {
			call.Args = noArgs
		}
	}
	if err := llm.Identify(a.calls, ""); err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{Finish: finish, Calls: a.calls, Usage: a.usage}, nil
}

// finished converts the finish reason. A call that the model failed to write is
// a retryable failure, because the next attempt may succeed. So is an unknown
// finish reason.
func (a *answer) finished() (bellcord.Finish, error) {
	switch a.finish {
	case "": // the prompt was blocked
		return bellcord.FinishRefused, nil
	case reasonStop:
		if len(a.calls) > 0 {
			return bellcord.FinishToolCalls, nil
		}
		return bellcord.FinishStop, nil
	case reasonMaxTokens:
		return bellcord.FinishMaxOutput, nil
	case reasonSafety, reasonRecitation, reasonLanguage, reasonBlocklist,
		reasonProhibitedContent, reasonPersonalData, reasonImageSafety,
		reasonImageProhibitedContent, reasonImageRecitation:
		return bellcord.FinishRefused, nil
	case reasonContinuation:
		return "", wire.Cut(nil)
	default:
		err := fmt.Errorf("the model ended its answer with finish reason %s", a.finish)
		if a.words != "" {
			err = fmt.Errorf("%w: %s", err, a.words)
		}
		return "", &llm.Failure{Reason: llm.ServerError, Err: err}
	}
}
