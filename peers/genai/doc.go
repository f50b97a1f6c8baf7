// Package genai contains the measurement behind a decision: Bellcord uses Gemini over plain HTTP
// because Google's SDK changes what models write, writes to the standard log on every stop, repeats
// requests automatically, and slows down every start of the program, even if Gemini is not used. It
// is a separate module, so that Bellcord does not depend on the SDK.
//
// It is also an external check of the fake model: the SDK must understand the fake's answers, and
// the fake must accept them when the SDK sends them back.
package genai
