// Package fakegram is a Telegram Bot API server made for tests: a strict peer on
// loopback or in memory, for machines that don't reach the real one and for
// people who want to try the bot without a token. It refuses what Telegram
// refuses, in Telegram's words, and it keeps a list of violations: things that
// Telegram lets pass, or answers to mildly, and that a good bot never does. A
// test that used the API properly finds that list empty.
//
// What counts as a violation:
//
//   - a call to a chat (or any call, after the limit for all chats) while a 429
//     is still to be waited for; the wait doubles
//   - a callback query that the bot was given and did not answer within 15 s
//   - an update of a draft whose Stop was pressed, a second after the bot was told
//   - a press that allowed_updates keeps from the bot that offered the button
//   - parameters, methods, update types and button fields that are unknown here
//   - MarkdownV2 and Markdown (a missed escape costs the whole message), a bare
//     & or > in HTML, links that Telegram drops without a word
//
// Limits: a chat takes one message a second after a burst of three, one edit a
// second after a burst of three, and one draft a second after a burst of two; a
// group takes twenty messages and edits in any minute; all chats together take
// thirty of these a second. Calls whose content is refused count, too. A wait is
// three seconds at least. getUpdates never has to wait, because
// a poller can't know of a limit that another call ran into.
//
// What is published about drafts leaves questions open. The answers here:
//
//   - A draft lives 30 s from its last update, in a private chat, one for each
//     thread. Another draft_id replaces it. Every real message of the bot to
//     that thread dismisses it.
//   - Stop can be pressed on a live draft whose last update had can_stop. The
//     draft goes at once, or with keep_on_stop when its 30 s are over or a real
//     message comes; its button is gone in either case.
//   - A stopped draft_id stays stopped: later updates are answered with true, as
//     calls under way at that moment have to be, and show nothing, kept or not.
//     One second after the bot was given the update they are violations.
//   - stopped_message_generation belongs to the updates that are sent when
//     allowed_updates is empty, as everything does but the three types that the
//     documentation excepts.
//   - A 429 for drafts holds for the whole chat.
//
// Other answers: a callback answered twice is a query ID that is invalid. A
// second poller is refused with 409 and ends the first one with 409, too. An
// edit without reply_markup takes the buttons away. Private chats begin with a
// word of the person. Bots in groups hear commands, mentions and replies only,
// unless WithAllGroupMessages is given. tg-time, inline mode, business
// connections and rich messages are not played.
//
// Inside a testing/synctest bubble, make the Server in the bubble and talk to it
// with the client that Pipe returns: all its time is time.Now, and it has no
// goroutines of its own but the one that posts to a webhook.
package fakegram
