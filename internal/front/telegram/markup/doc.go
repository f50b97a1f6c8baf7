// Package markup converts a model's Markdown to Telegram's HTML and splits it
// into parts that fit into messages.
package markup
