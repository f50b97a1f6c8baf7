// Package genai contains the measurements behind a decision: Bellcord uses
// Gemini over plain HTTP because Google's SDK changes what models write,
// writes to the standard log at every stop, retries by itself, and makes every
// start of the program slower, even if Gemini is not used. It is a separate
// module, so that Bellcord does not depend on the SDK.
//
// It also checks the fake model: the SDK must understand the fake model's
// answers, and the fake model must accept them when the SDK sends them back.
package genai
