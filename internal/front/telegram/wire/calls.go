package wire

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

const (
	mostDeleted = 100 // per call
	longestWord = 200 // longest answer to a button press, in UTF-16 units
)

// Text is the content of a message to send or edit.
type Text struct {
	Place   Place
	Text    string
	HTML    bool
	ReplyTo int // 0 for none; the message is also sent if the target was deleted
	Buttons [][]Button
	Silent  bool
}

// Button is an inline button. Style is "danger" for a red button, "" for the
// default.
type Button struct{ Text, Data, Style string }

// Draft is a partial message in a private chat. Without text, the app shows
// that the bot is thinking.
type Draft struct {
	Place      Place
	ID         int
	Text       string
	Stop, Keep bool // with a Stop button; keep the draft for a while after it is pressed
}

// Command is an entry of the bot's menu.
type Command struct{ Name, About string }

// Send sends a message without link previews and returns the message ID.
func (b *Bot) Send(ctx context.Context, t Text) (id int, err error) {
	p := &bot.SendMessageParams{
		ChatID: t.Place.Chat, MessageThreadID: t.Place.Thread, Text: t.Text, ParseMode: mode(t.HTML),
		LinkPreviewOptions: noPreview(), DisableNotification: t.Silent, ReplyMarkup: keyboard(t.Buttons),
	}
	if t.ReplyTo != 0 {
		p.ReplyParameters = &models.ReplyParameters{MessageID: t.ReplyTo, AllowSendingWithoutReply: true}
	}
	m, err := b.library.SendMessage(ctx, p)
	return sent(m), b.convertError("sendMessage", err)
}

// Edit replaces a message's text and buttons. Without buttons, it removes the
// existing ones. An edit that changes nothing is not an error.
func (b *Bot) Edit(ctx context.Context, id int, t Text) error {
	_, err := b.library.EditMessageText(ctx, &bot.EditMessageTextParams{
		ChatID: t.Place.Chat, MessageID: id, Text: t.Text, ParseMode: mode(t.HTML),
		LinkPreviewOptions: noPreview(), ReplyMarkup: keyboard(t.Buttons),
	})
	return unless(notModified, b.convertError("editMessageText", err))
}

// Buttons replaces a message's buttons.
func (b *Bot) Buttons(ctx context.Context, p Place, id int, rows [][]Button) error {
	_, err := b.library.EditMessageReplyMarkup(ctx, &bot.EditMessageReplyMarkupParams{
		ChatID: p.Chat, MessageID: id, ReplyMarkup: keyboard(rows),
	})
	return unless(notModified, b.convertError("editMessageReplyMarkup", err))
}

// Draft shows a draft or updates it.
func (b *Bot) Draft(ctx context.Context, d Draft) error {
	_, err := b.library.SendMessageDraft(ctx, &bot.SendMessageDraftParams{
		ChatID: d.Place.Chat, MessageThreadID: d.Place.Thread, DraftID: strconv.Itoa(d.ID), Text: d.Text,
		CanStop: d.Stop, KeepOnStop: d.Keep,
	})
	return b.convertError("sendMessageDraft", err)
}

// Delete deletes messages, 100 per call to Telegram. It stops at the first
// failure and can be retried with all ids: deleting a missing message is not an
// error.
func (b *Bot) Delete(ctx context.Context, p Place, ids []int) error {
	for some := range slices.Chunk(ids, mostDeleted) {
		_, err := b.library.DeleteMessages(ctx, &bot.DeleteMessagesParams{ChatID: p.Chat, MessageIDs: some})
		if err := unless(notThere, b.convertError("deleteMessages", err)); err != nil {
			return err
		}
	}
	return nil
}

// Typing shows the typing indicator for five seconds.
func (b *Bot) Typing(ctx context.Context, p Place) error {
	_, err := b.library.SendChatAction(ctx, &bot.SendChatActionParams{
		ChatID: p.Chat, MessageThreadID: p.Thread, Action: models.ChatActionTyping,
	})
	return b.convertError("sendChatAction", err)
}

// Answer answers a button press. The text is shortened to 200 UTF-16 units. An
// alert stays open until the user closes it.
func (b *Bot) Answer(ctx context.Context, query, text string, alert bool) error {
	_, err := b.library.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{
		CallbackQueryID: query, Text: cut(text, longestWord), ShowAlert: alert,
	})
	return b.convertError("answerCallbackQuery", err)
}

// Document sends a file and returns the message ID.
func (b *Bot) Document(ctx context.Context, p Place, name string, data []byte, caption string) (int, error) {
	m, err := b.library.SendDocument(ctx, &bot.SendDocumentParams{
		ChatID: p.Chat, MessageThreadID: p.Thread, Caption: caption,
		Document: &models.InputFileUpload{Filename: name, Data: bytes.NewReader(data)},
	})
	return sent(m), b.convertError("sendDocument", err)
}

// Commands sets the bot's menu.
func (b *Bot) Commands(ctx context.Context, menu []Command) error {
	p := &bot.SetMyCommandsParams{Commands: []models.BotCommand{}}
	for _, c := range menu {
		p.Commands = append(p.Commands, models.BotCommand{Command: c.Name, Description: c.About})
	}
	_, err := b.library.SetMyCommands(ctx, p)
	return b.convertError("setMyCommands", err)
}
