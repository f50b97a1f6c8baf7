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
	mostDeleted = 100 // in one call
	longestWord = 200 // of an answer to a press, in UTF-16 units
)

// Text is a message to send, or what one becomes.
type Text struct {
	Place   Place
	Text    string
	HTML    bool
	ReplyTo int // 0 for none; if it is gone, the message is sent all the same
	Buttons [][]Button
	Silent  bool
}

// Button is an inline one. Style is "danger" for a red one, "" for the usual.
type Button struct{ Text, Data, Style string }

// Draft is a message that is being written, in a private chat. Without text the
// app shows that the bot thinks.
type Draft struct {
	Place      Place
	ID         int
	Text       string
	Stop, Keep bool // with a Stop button; kept for a while when that is pressed
}

// Command is an entry of the bot's menu.
type Command struct{ Name, About string }

// Send sends a message, without previews of links, and returns its number.
func (b *Bot) Send(ctx context.Context, t Text) (id int, err error) {
	p := &bot.SendMessageParams{
		ChatID: t.Place.Chat, MessageThreadID: t.Place.Thread, Text: t.Text, ParseMode: mode(t.HTML),
		LinkPreviewOptions: noPreview(), DisableNotification: t.Silent, ReplyMarkup: keyboard(t.Buttons),
	}
	if t.ReplyTo != 0 {
		p.ReplyParameters = &models.ReplyParameters{MessageID: t.ReplyTo, AllowSendingWithoutReply: true}
	}
	m, err := b.library.SendMessage(ctx, p)
	return sent(m), b.told("sendMessage", err)
}

// Edit changes a message's text and buttons; without buttons it has none. That it
// is so already is no error.
func (b *Bot) Edit(ctx context.Context, id int, t Text) error {
	_, err := b.library.EditMessageText(ctx, &bot.EditMessageTextParams{
		ChatID: t.Place.Chat, MessageID: id, Text: t.Text, ParseMode: mode(t.HTML),
		LinkPreviewOptions: noPreview(), ReplyMarkup: keyboard(t.Buttons),
	})
	return unless(notModified, b.told("editMessageText", err))
}

// Buttons changes a message's buttons only.
func (b *Bot) Buttons(ctx context.Context, p Place, id int, rows [][]Button) error {
	_, err := b.library.EditMessageReplyMarkup(ctx, &bot.EditMessageReplyMarkupParams{
		ChatID: p.Chat, MessageID: id, ReplyMarkup: keyboard(rows),
	})
	return unless(notModified, b.told("editMessageReplyMarkup", err))
}

// Draft shows a draft, or how it goes on.
func (b *Bot) Draft(ctx context.Context, d Draft) error {
	_, err := b.library.SendMessageDraft(ctx, &bot.SendMessageDraftParams{
		ChatID: d.Place.Chat, MessageThreadID: d.Place.Thread, DraftID: strconv.Itoa(d.ID), Text: d.Text,
		CanStop: d.Stop, KeepOnStop: d.Keep,
	})
	return b.told("sendMessageDraft", err)
}

// Delete takes messages away, a hundred with each call; after a failure it can be
// called again with all of them. That one is gone already is no error.
func (b *Bot) Delete(ctx context.Context, p Place, ids []int) error {
	for some := range slices.Chunk(ids, mostDeleted) {
		_, err := b.library.DeleteMessages(ctx, &bot.DeleteMessagesParams{ChatID: p.Chat, MessageIDs: some})
		if err := unless(notThere, b.told("deleteMessages", err)); err != nil {
			return err
		}
	}
	return nil
}

// Typing shows for five seconds that the bot writes.
func (b *Bot) Typing(ctx context.Context, p Place) error {
	_, err := b.library.SendChatAction(ctx, &bot.SendChatActionParams{
		ChatID: p.Chat, MessageThreadID: p.Thread, Action: models.ChatActionTyping,
	})
	return b.told("sendChatAction", err)
}

// Answer says what becomes of a press, in 200 characters at most: what is longer
// is cut. An alert has to be closed by hand.
func (b *Bot) Answer(ctx context.Context, query, text string, alert bool) error {
	_, err := b.library.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{
		CallbackQueryID: query, Text: cut(text, longestWord), ShowAlert: alert,
	})
	return b.told("answerCallbackQuery", err)
}

// Document sends a file and returns the message's number.
func (b *Bot) Document(ctx context.Context, p Place, name string, data []byte, caption string) (int, error) {
	m, err := b.library.SendDocument(ctx, &bot.SendDocumentParams{
		ChatID: p.Chat, MessageThreadID: p.Thread, Caption: caption,
		Document: &models.InputFileUpload{Filename: name, Data: bytes.NewReader(data)},
	})
	return sent(m), b.told("sendDocument", err)
}

// Commands sets the bot's menu.
func (b *Bot) Commands(ctx context.Context, menu []Command) error {
	p := &bot.SetMyCommandsParams{Commands: []models.BotCommand{}}
	for _, c := range menu {
		p.Commands = append(p.Commands, models.BotCommand{Command: c.Name, Description: c.About})
	}
	_, err := b.library.SetMyCommands(ctx, p)
	return b.told("setMyCommands", err)
}
