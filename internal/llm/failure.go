package llm

import (
	"fmt"
	"time"
)

// Failure is the error of a request that got no complete answer. It contains
// the reason, whether a retry can help, and when.
type Failure struct {
	Reason Reason
	Status int           // 0 if there was no response
	After  time.Duration // delay requested by the server; 0 if it requested none
	Err    error         // the server's error message, or the connection's error
}

// Reason is the kind of a Failure.
type Reason string

// The reasons. The first five are retryable, the others are not.
const (
	Overloaded  Reason = "overloaded"   // the model has too many requests
	RateLimited Reason = "rate limited" // this client has sent too many requests
	Unreachable Reason = "unreachable"  // no response
	CutOff      Reason = "cut off"      // the answer ended before it was complete
	ServerError Reason = "server error"

	Refused      Reason = "refused"        // the request is invalid
	Unauthorized Reason = "not authorized" // the key is invalid or lacks a permission
	NoModel      Reason = "no such model"
	NoQuota      Reason = "out of quota" // the paid quota is used up
	TooLong      Reason = "too long"     // the conversation exceeds the model's context
)

// Retryable reports whether the same request can succeed later.
func (f *Failure) Retryable() bool {
	switch f.Reason {
	case Overloaded, RateLimited, Unreachable, CutOff, ServerError:
		return true
	case Refused, Unauthorized, NoModel, NoQuota, TooLong:
	}
	return false
}

// RetryAfter returns the delay that the server requested, or 0 if it requested
// none.
func (f *Failure) RetryAfter() time.Duration { return f.After }

// Error returns a sentence for the user, followed by the server's message.
func (f *Failure) Error() string {
	message := map[Reason]string{
		Overloaded: "the model is overloaded", RateLimited: "the model's rate limit was exceeded",
		Unreachable: "no answer from the model", CutOff: "the model's answer was cut off",
		ServerError: "the model's server failed", Refused: "the model's server refused the request",
		Unauthorized: "the model's server rejected the key", NoModel: "the server has no such model",
		NoQuota: "the quota at the model's server is used up", TooLong: "the conversation is too long for the model",
	}[f.Reason]
	if f.Status != 0 {
		message = fmt.Sprintf("%s (status %d)", message, f.Status)
	}
	return fmt.Sprintf("%s: %v", message, f.Err)
}

// Unwrap returns Err.
func (f *Failure) Unwrap() error { return f.Err }
