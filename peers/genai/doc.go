// Package genai keeps the measurement behind a decision: Bellcord asks Gemini
// over plain HTTP because Google's SDK loses what models write, tells the
// standard log of every stop, asks again by itself, and costs every start of the
// program time, whoever is asked. It is a module of its own, so that the SDK is
// no dependency of Bellcord.
//
// It is also a check on the fake model, from outside: the SDK must understand
// what the fake says, and the fake must accept it when the SDK gives it back.
package genai
