// Package chats is the common core of the fronts for chat platforms. Telegram is
// an adapter of it; the front for another platform is another adapter.
//
// Each chat has a session. A message is a prompt, and the answer is shown while it
// is written: as a draft where the platform has drafts, otherwise as a message that
// is edited.
//
// The core contains everything that does not depend on a platform:
//
//   - the session of each chat, and the choice of agent and model;
//   - the queue of a chat, and prompts that a stop holds;
//   - questions and forms with their buttons;
//   - previews of unfinished answers, complete answers, and the ends of turns;
//   - the changes of turns to files, with buttons to undo and redo them;
//   - rewinds of the conversation, with a button for each of the last turns;
//   - commands, and the words that stop a turn;
//   - access of people and groups, and invitations of strangers (package rights has
//     the list);
//   - files that people send, and files that they request;
//   - the rate limits of a chat and of all chats (package outbox).
//
// An adapter supplies the rest:
//
//   - It implements Messages and Files, and Drafts if the platform has drafts. Its
//     calls return *outbox.TooMany for a rate limit and an error that wraps
//     outbox.ErrNever for a permanent refusal.
//   - It converts Markdown to the markup of the platform. On a platform without
//     buttons, it shows them in another way, for example as reactions.
//   - It converts the IDs of the platform to ID, which is text, and back. An ID must
//     identify one chat, topic, person, message or file. A sender that is not one
//     person, such as an anonymous administrator, gets no ID.
//   - It sets the name of the platform, its Limits and its pace. In lower case, the
//     name is also that of the platform's settings and command: people read
//     "[telegram.groups]" and "bellcord telegram approve".
//   - It opens a rights.List with the same name and the people of the settings, or
//     implements Rights.
//   - It receives events, and passes each one to Message, Edited, Press or StopDraft.
//     It removes the name of the bot from a text, and reports whether a message in a
//     group is for the bot.
//
// The tests of the core contain an adapter in memory, which is the shortest example.
//
// Events arrive in order on one goroutine, which never blocks. A prompt gets its
// turn ID from the adapter and then waits in the chat's queue, because opening a
// session or downloading a picture takes time. A stop does not wait in that queue.
// It is passed to the hub on the goroutine that receives the event and also names
// the turns that were not accepted yet: these are stopped before they start.
//
// The front is not the source of truth. The conversation is in the session's log,
// and everything shown is derived from it. The front only stores which session a
// chat has and which messages belong to which turn. The hub has no concept of
// messages.
package chats
