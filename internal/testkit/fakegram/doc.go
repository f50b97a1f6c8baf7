// Package fakegram is a Telegram Bot API server for tests, on loopback or in
// memory. Use it on machines that cannot reach the real one, and to try the bot
// without a token. It refuses what Telegram refuses, with Telegram's error
// texts, and keeps a list of violations: calls that Telegram accepts, or
// handles leniently, and that a correct bot never makes. After a correct use of
// the API the list is empty.
//
// Violations are:
//
//   - a call to a chat (or any call, after the limit for all chats) before the
//     wait of a 429 has passed; the wait doubles
//   - a callback query that was delivered to the bot and has no answer after 15
//     s
//   - an update of a draft more than a second after its Stop was delivered
//   - a press of a button, or of Stop, that allowed_updates excludes
//   - unknown parameters, methods, update types and button fields
//   - MarkdownV2 and Markdown (a missed escape loses the whole message), an
//     unescaped & or > in HTML, and links that Telegram drops silently
//
// Limits: a chat accepts one message per second after a burst of three, one
// edit per second after a burst of three, and one draft per second after a
// burst of two. A group accepts twenty messages and edits in any minute. All
// chats together accept thirty of these per second. Calls with refused content
// count too. A wait is at least three seconds. getUpdates is exempt, because a
// poller cannot detect a limit that another call exceeded.
//
// The published documentation of drafts leaves questions open. This server
// behaves as follows:
//
//   - A draft lives 30 s from its last update, in a private chat, one per
//     thread. Another draft_id replaces it. Every real message of the bot to
//     that thread dismisses it.
//   - Stop can be pressed on a live draft if its last update had can_stop. The
//     draft disappears immediately, or with keep_on_stop after its 30 s or at
//     the next real message; its button disappears in either case.
//   - A stopped draft_id stays stopped: later updates return true, as calls in
//     flight at that moment must, and show nothing, kept or not. More than one
//     second after the update was delivered to the bot they are violations.
//   - stopped_message_generation is sent when allowed_updates is empty, like
//     all types except the three that the documentation excludes.
//   - A 429 for drafts applies to the whole chat.
//
// Other decisions: answering a callback twice is an invalid query ID. A second
// poller is refused with 409 and also ends the first one with 409. An edit
// without reply_markup removes the buttons. A private chat starts with a
// message of the person. Bots in groups receive only commands, mentions and
// replies, unless WithAllGroupMessages is given. tg-time, inline mode, business
// connections and rich messages are not implemented.
//
// Inside a testing/synctest bubble, create the Server in the bubble and connect
// with the client that Pipe returns. The server takes the time from time.Now
// only, and starts goroutines only to post to a webhook.
package fakegram
