// Package telegram is the front for Telegram chats. Each chat has a session. A
// message is a prompt, and the answer is shown while it is written: as a draft
// with Telegram's Stop button where drafts are supported, otherwise as a
// message that is edited.
//
// Updates arrive in order on one goroutine, which never blocks. A prompt gets
// its turn ID there and then waits in the chat's queue, because opening a
// session or downloading a picture takes time. A stop does not wait in that
// queue. It is passed to the hub on the goroutine that receives the update and
// also names the turns that were not accepted yet: these are stopped before
// they start.
//
// The front is not the source of truth. The conversation is in the session's
// log, and everything shown is derived from it. The front only stores which
// session a chat has and which messages belong to which turn. The core has no
// concept of messages.
package telegram
