package responses

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// problem is the error object of an event.
type problem struct {
	Type    string `json:"type"`
	Code    any    `json:"code"` // a string, null, or a number from some compatible servers
	Message string `json:"message"`
}

// streamFailure returns the failure for an error that the server reported in its stream.
// In an "error" event it is at the top level, as the API specifies, or one
// level down, as OpenAI sends it. In response.failed it is in the response.
func streamFailure(data []byte) error {
	var event struct {
		problem
		Error    *problem `json:"error"`
		Response struct {
			Error *problem `json:"error"`
		} `json:"response"`
	}
	_ = json.Unmarshal(data, &event) // invalid JSON leaves the code empty
	p := event.problem
	switch {
	case event.Error != nil:
		p = *event.Error
	case event.Response.Error != nil:
		p = *event.Response.Error
	case p.Type == "response.failed":
		p = problem{Code: "server_error", Message: "the response failed, and the server gave no reason"}
	}
	code, _ := p.Code.(string)
	if p.Message == "" {
		p.Message = code
	}
	for _, word := range []string{code, p.Type} {
		if reason, known := reasons[word]; known {
			return &llm.Failure{Reason: reason, After: after(p.Message), Err: errors.New(p.Message)}
		}
	}
	if p.Message == "" {
		return wire.DecodeStreamFailure(data)
	}
	plain, err := json.Marshal(map[string]problem{"error": p})
	if err != nil {
		plain = data
	}
	return wire.DecodeStreamFailure(plain)
}

// reasons maps error codes, and error types for missing or new codes, to
// reasons.
var reasons = map[string]llm.Reason{
	"rate_limit_exceeded": llm.RateLimited,
	"rate_limit_error":    llm.RateLimited,
	"too_many_requests":   llm.RateLimited,

	"server_is_overloaded":      llm.Overloaded,
	"overloaded":                llm.Overloaded,
	"overloaded_error":          llm.Overloaded,
	"slow_down":                 llm.Overloaded,
	"service_unavailable":       llm.Overloaded,
	"service_unavailable_error": llm.Overloaded,

	"server_error":          llm.ServerError,
	"internal_error":        llm.ServerError,
	"internal_server_error": llm.ServerError,
	"timeout":               llm.ServerError,
	"vector_store_timeout":  llm.ServerError,

	"insufficient_quota":         llm.NoQuota,
	"billing_hard_limit_reached": llm.NoQuota,
	"usage_limit_reached":        llm.NoQuota,

	"context_length_exceeded": llm.TooLong,
	"model_not_found":         llm.NoModel,
	"invalid_api_key":         llm.Unauthorized,
	"authentication_error":    llm.Unauthorized,
	"invalid_prompt":          llm.Refused,
}

var tryAgain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`try again in ([0-9.]+ ?m?s)\b`) })

// after returns the delay that an error message requests. A stream has no
// header for it.
func after(message string) time.Duration {
	found := tryAgain().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	wait, err := time.ParseDuration(strings.ReplaceAll(found[1], " ", ""))
	if err != nil {
		return 0
	}
	return wait
}
