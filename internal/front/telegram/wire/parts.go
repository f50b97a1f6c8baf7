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

// keyboard returns nil if there are no buttons; an edit then removes the
// existing ones.
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

// sent returns the ID of a message, or 0 for nil.
func sent(m *models.Message) int {
	if m == nil {
		return 0
	}
	return m.ID
}

// unless returns err, or nil if Telegram refused the call with these words.
func unless(words string, err error) error {
	if err != nil && refusedWith(err, words) {
		return nil
	}
	return err
}

// cut shortens text to at most that many UTF-16 units, including the ellipsis.
// It never splits a character.
func cut(text string, most int) string {
	const ellipsis = '…'
	units, end := 0, 0 // end: where the ellipsis would fit
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
