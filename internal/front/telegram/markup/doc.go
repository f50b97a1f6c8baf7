// Package markup makes messages of what a model writes: Markdown as Telegram's
// HTML, cut into parts that Telegram takes.
package markup
