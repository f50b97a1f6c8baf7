package wire

import (
	"unicode/utf16"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

func mode(html bool) models.ParseMode {
	if html {
		return models.ParseModeHTML
	}
	return ""
}

func noPreview() *models.LinkPreviewOptions {
	return &models.LinkPreviewOptions{IsDisabled: bot.True()}
}

// keyboard is nothing at all without buttons: an edit then takes them away.
func keyboard(rows [][]Button) models.ReplyMarkup {
	k := &models.InlineKeyboardMarkup{}
	for _, row := range rows {
		var out []models.InlineKeyboardButton
		for _, b := range row {
			out = append(out, models.InlineKeyboardButton{Text: b.Text, CallbackData: b.Data, Style: b.Style})
		}
		if len(out) > 0 {
			k.InlineKeyboard = append(k.InlineKeyboard, out)
		}
	}
	if len(k.InlineKeyboard) == 0 {
		return nil
	}
	return k
}

// sent is the number of a message, 0 if there is none.
func sent(m *models.Message) int {
	if m == nil {
		return 0
	}
	return m.ID
}

// unless is the error if Telegram did not say these words.
func unless(words string, err error) error {
	if err != nil && refusedWith(err, words) {
		return nil
	}
	return err
}

// cut shortens a text to that many UTF-16 units, between characters.
func cut(text string, most int) string {
	const ellipsis = '…'
	units, end := 0, 0 // end: where an ellipsis has room
	for i, r := range text {
		if units < most {
			end = i
		}
		if units += max(utf16.RuneLen(r), 1); units > most {
			return text[:end] + string(ellipsis)
		}
	}
	return text
}
