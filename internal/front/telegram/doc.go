// Package telegram is the front for chats: a bot whose answers stream and can be
// stopped at any moment.
package telegram
