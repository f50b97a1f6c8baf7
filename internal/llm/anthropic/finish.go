package anthropic

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

func finishOf(reason sdk.StopReason) bellcord.Finish {
	switch reason {
	case sdk.StopReasonToolUse:
		return bellcord.FinishToolCalls
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return bellcord.FinishMaxOutput
	case sdk.StopReasonRefusal:
		return bellcord.FinishRefused
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence, sdk.StopReasonPauseTurn:
	}
	return bellcord.FinishStop
}

// endStream decides how the stream ended. err is the SDK's error; it is also
// nil for a stream that ended early. An error after the stop reason does not
// invalidate the answer.
func (a *answer) endStream(err error) error {
	var apiErr *sdk.Error
	switch {
	case a.complete():
		return nil
	case errors.As(err, &apiErr):
		return streamFailure([]byte(apiErr.RawJSON()))
	case err != nil && !errors.Is(err, wire.ErrCutOff):
		return err
	default:
		return wire.Cut(err)
	}
}

// streamFailure returns the failure for an error event in the stream, with the
// status that a response would have had. An error of an unknown type counts as
// a server error, because it occurred while the answer was being generated.
func streamFailure(data []byte) error {
	var event struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	_ = json.Unmarshal(data, &event) // invalid JSON leaves the type empty
	status, known := map[string]int{
		"invalid_request_error": http.StatusBadRequest, "authentication_error": http.StatusUnauthorized,
		"billing_error": http.StatusPaymentRequired, "permission_error": http.StatusForbidden,
		"not_found_error": http.StatusNotFound, "request_too_large": http.StatusRequestEntityTooLarge,
		"rate_limit_error": http.StatusTooManyRequests, "timeout_error": http.StatusGatewayTimeout,
		"overloaded_error": statusOverloaded,
	}[event.Error.Type]
	if !known {
		status = http.StatusInternalServerError
	}
	return wire.StreamFailure(status, errors.New(wire.Words(data)))
}

// statusOverloaded is Anthropic's status for an overloaded model.
const statusOverloaded = 529

const noArgs = "{}"

// finishedCalls returns the calls with unique ids. If the model finished the
// calls, missing arguments become an empty object. Otherwise they stay missing,
// so that nothing runs with arguments that the model did not choose.
func finishedCalls(blocks []*block, finished bool) ([]llm.Call, error) {
	var out []llm.Call
	for _, b := range blocks {
		args := b.args
		if finished && strings.TrimSpace(args) == "" {
			args = b.given()
		}
		out = append(out, llm.Call{ID: b.id, Name: b.name, Args: args})
	}
	return out, llm.Identify(out, "toolu")
}

// given returns the arguments from the start of a call's block, or an empty
// object. Most servers send an empty object there and the arguments later; some
// send all arguments at once.
func (b *block) given() string {
	if strings.HasPrefix(b.input, "{") {
		return b.input
	}
	return noArgs
}
