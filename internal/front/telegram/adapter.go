package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// adapter makes the calls of the core with the Bot API.
type adapter struct {
	bot    *wire.Bot
	logger *slog.Logger
}

// idOf converts a number of Telegram to an ID; 0 means no ID.
func idOf[N int | int64](n N) chats.ID {
	if n == 0 {
		return ""
	}
	return chats.ID(strconv.FormatInt(int64(n), 10))
}

// number converts an ID to a number of Telegram. IDs come from idOf.
func number(id chats.ID) int64 {
	n, _ := strconv.ParseInt(string(id), 10, 64)
	return n
}

func placeOf(p wire.Place) chats.Place {
	return chats.Place{Chat: idOf(p.Chat), Thread: idOf(p.Thread), Group: p.Group, Title: p.Title}
}

func wirePlace(p chats.Place) wire.Place {
	return wire.Place{Chat: number(p.Chat), Thread: int(number(p.Thread)), Group: p.Group, Title: p.Title}
}

// Send implements chats.Messages.
func (a adapter) Send(ctx context.Context, t chats.Text) (chats.ID, error) {
	var id int
	err := a.formatted(t, func(t wire.Text) (err error) {
		id, err = a.bot.Send(ctx, t)
		return err
	})
	return idOf(id), err
}

// Edit implements chats.Messages.
func (a adapter) Edit(ctx context.Context, message chats.ID, t chats.Text) error {
	return a.formatted(t, func(t wire.Text) error { return a.bot.Edit(ctx, int(number(message)), t) })
}

// formatted calls do with the text, Markdown as HTML. If Telegram rejects the HTML,
// it calls do with plain text.
func (a adapter) formatted(t chats.Text, do func(wire.Text) error) error {
	out := wire.Text{Place: wirePlace(t.Place), Text: withBelow(t.Text, t.Below), Silent: t.Silent}
	for _, row := range t.Buttons {
		var buttons []wire.Button
		for _, b := range row {
			button := wire.Button{Text: b.Text, Data: b.Data}
			if b.Danger {
				button.Style = "danger"
			}
			buttons = append(buttons, button)
		}
		out.Buttons = append(out.Buttons, buttons)
	}
	if !t.Markdown {
		return do(out)
	}
	html := out
	html.HTML, html.Text = true, withBelow(render(t.Text), escape(t.Below))
	err := do(html)
	if errors.Is(err, wire.ErrMarkup) {
		a.logger.Warn("telegram rejected HTML; sending plain text", "chat", t.Place.Chat, "err", err)
		err = do(out)
	}
	return err
}

func withBelow(text, below string) string {
	if below == "" {
		return text
	}
	return strings.TrimSpace(text + "\n\n" + below)
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// Delete implements chats.Messages.
func (a adapter) Delete(ctx context.Context, p chats.Place, messages []chats.ID) error {
	ids := make([]int, len(messages))
	for i, id := range messages {
		ids[i] = int(number(id))
	}
	return a.bot.Delete(ctx, wirePlace(p), ids)
}

// RemoveButtons implements chats.Messages.
func (a adapter) RemoveButtons(ctx context.Context, p chats.Place, message chats.ID) error {
	return a.bot.Buttons(ctx, wirePlace(p), int(number(message)), nil)
}

// Upload implements chats.Files.
func (a adapter) Upload(ctx context.Context, p chats.Place, name string, data []byte) error {
	_, err := a.bot.Document(ctx, wirePlace(p), name, data, "")
	return err
}

// Download implements chats.Files.
func (a adapter) Download(ctx context.Context, file chats.ID, most int64) ([]byte, error) {
	data, err := a.bot.Download(ctx, string(file), most)
	if errors.Is(err, wire.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", chats.ErrTooLarge, err)
	}
	return data, err
}

// CanDraft implements chats.Drafts: Telegram has drafts in private chats only.
func (a adapter) CanDraft(p chats.Place) bool { return !p.Group }

// Draft implements chats.Drafts.
func (a adapter) Draft(ctx context.Context, d chats.Draft) error {
	return a.bot.Draft(ctx, wire.Draft{Place: wirePlace(d.Place), ID: d.ID, Text: d.Text, Stop: true, Keep: true})
}
