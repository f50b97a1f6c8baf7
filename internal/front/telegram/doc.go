// Package telegram is the front for chats. A chat has a session; what is said in
// it is a prompt, and what happens is shown while it happens: as a draft with
// Telegram's own Stop button where Telegram has one, as a message that is edited
// elsewhere.
//
// Updates arrive in one goroutine, in order, and it never waits. A prompt has its
// turn's id from that moment on and waits its turn in the chat's line, behind
// what was said before it: opening a session or fetching a picture takes time. A
// stop waits for none of that. It is told to the hub in the goroutine that reads
// the update, and it names the turns that have not been accepted yet, too: they
// are born stopped.
//
// The front keeps no truth. What was said is in the session's log, from which all
// is shown; what is kept here is which session a chat has, and which messages in
// it belong to which turn. The core knows nothing of messages.
package telegram
