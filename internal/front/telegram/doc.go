// Package telegram is the front for Telegram chats: an adapter of package chats to
// the Bot API. It converts Markdown to Telegram's HTML, updates to events and the
// numbers of Telegram to the IDs of the core, and decides which messages of a group
// are for the bot. Package wire has the connection to Telegram.
package telegram
