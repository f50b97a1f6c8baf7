package llm

import (
	"fmt"
	"time"
)

// Failure is a request that got no complete answer: what the reason was, whether
// asking again can help, and when.
type Failure struct {
	Reason Reason
	Status int           // 0 when no answer came
	After  time.Duration // how long the server asked us to wait, 0 if it did not say
	Err    error         // the server's words, or the connection's
}

// Reason says what sort of failure it was.
type Reason string

// The reasons. The first five may pass, the others will not by themselves.
const (
	Overloaded  Reason = "overloaded"   // the model has too much to do
	RateLimited Reason = "rate limited" // we ask too often
	Unreachable Reason = "unreachable"  // no answer came
	CutOff      Reason = "cut off"      // the answer ended before it was complete
	ServerError Reason = "server error"

	Refused      Reason = "refused"        // the request is wrong
	Unauthorized Reason = "not authorized" // the key is
	NoModel      Reason = "no such model"
	NoQuota      Reason = "out of quota" // what is paid for is used up
	TooLong      Reason = "too long"     // the conversation does not fit the model
)

// Retryable reports whether the same request may succeed later.
func (f *Failure) Retryable() bool {
	switch f.Reason {
	case Overloaded, RateLimited, Unreachable, CutOff, ServerError:
		return true
	case Refused, Unauthorized, NoModel, NoQuota, TooLong:
	}
	return false
}

// RetryAfter is how long the server asked us to wait, 0 if it did not say.
func (f *Failure) RetryAfter() time.Duration { return f.After }

// Error tells a person what happened, in their words first.
func (f *Failure) Error() string {
	said := map[Reason]string{
		Overloaded: "the model is overloaded", RateLimited: "the model's rate limit was exceeded",
		Unreachable: "no answer from the model", CutOff: "the model's answer was cut off",
		ServerError: "the model's server failed", Refused: "the model's server refused the request",
		Unauthorized: "the model's server rejected the key", NoModel: "the server has no such model",
		NoQuota: "the quota at the model's server is used up", TooLong: "the conversation is too long for the model",
	}[f.Reason]
	if f.Status != 0 {
		said = fmt.Sprintf("%s (status %d)", said, f.Status)
	}
	return fmt.Sprintf("%s: %v", said, f.Err)
}

func (f *Failure) Unwrap() error { return f.Err }
