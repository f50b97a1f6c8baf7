package fakegram_test

import (
	"strings"
	"testing"
	"time"
)

func TestEdit_WithoutMarkup_RemovesTheButtons(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		keys := fields{"inline_keyboard": [][]fields{{{"text": "Go", "callback_data": "g"}}}}
		id := s.call("sendMessage", fields{"chat_id": anna, "text": "one", "reply_markup": keys}).message().ID
		s.call("editMessageText", fields{"chat_id": anna, "message_id": id, "text": "<b>two</b>", "parse_mode": "HTML", "reply_markup": keys}).fine()
		view := s.Chat(anna)
		if m := view.Last(); m.Text != "two" || m.Entities[0].Type != "bold" || m.Edited == 0 || m.ID != id {
			s.Errorf("got %+v", m)
		}
		if _, found := view.Button("Go"); !found {
			s.Error("the button is gone")
		}
		s.call("editMessageText", fields{"chat_id": anna, "message_id": id, "text": "three"}).fine()
		if _, found := s.Chat(anna).Button("Go"); found {
			s.Error("the button is still there")
		}
		s.call("editMessageReplyMarkup", fields{"chat_id": anna, "message_id": id, "reply_markup": keys}).fine()
		if _, found := s.Chat(anna).Button("Go"); !found {
			s.Error("the button did not come back")
		}
		s.clean()
	})
}

func TestEdit_WithoutChange_IsRefused(t *testing.T) {
	t.Parallel()
	const words = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"
	onStage(t, func(s *stage) {
		id := s.call("sendMessage", fields{"chat_id": anna, "text": "a <b>b</b>", "parse_mode": "HTML"}).message().ID
		s.call("editMessageText", fields{"chat_id": anna, "message_id": id, "text": "a <strong>b</strong> ", "parse_mode": "HTML"}).refused(400, words)
		s.call("editMessageReplyMarkup", fields{"chat_id": anna, "message_id": id}).refused(400, words)
		s.call("editMessageText", fields{"chat_id": anna, "message_id": id, "text": "a b"}).fine()
	})
}

func TestEdit_NotTheBotsText_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		userMessage := s.say(anna, anna, "mine").ID
		s.call("editMessageText", fields{"chat_id": anna, "message_id": userMessage, "text": "x"}).refused(400, "Bad Request: message can't be edited")
		s.call("editMessageText", fields{"chat_id": anna, "message_id": 999, "text": "x"}).refused(400, "Bad Request: message to edit not found")
		s.call("editMessageText", fields{"chat_id": anna, "text": "x"}).refused(400, "Bad Request: message identifier is not specified")
		s.rest(3 * time.Second)
		sent, err := s.SayDocument(anna, anna, "a.md", []byte("a"), "")
		if err != nil {
			s.Fatal(err)
		}
		file := s.call("sendDocument", fields{"chat_id": anna, "document": sent.Document.FileID}).message().ID
		s.call("editMessageText", fields{"chat_id": anna, "message_id": file, "text": "x"}).refused(400, "Bad Request: there is no text in the message to edit")
		own := s.send(anna, "own")
		s.call("editMessageReplyMarkup", fields{"chat_id": anna, "message_id": own, "reply_markup": fields{"keyboard": [][]string{{"a"}}}}).
			refused(400, "Bad Request: inline keyboard expected")
		s.clean()
	})
}

func TestDelete_After48Hours_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		first, second := s.send(anna, "one"), s.send(anna, "two")
		userMessage := s.say(anna, anna, "three").ID
		s.rest(48*time.Hour - time.Second)
		s.call("deleteMessage", fields{"chat_id": anna, "message_id": first}).fine()
		s.call("deleteMessage", fields{"chat_id": anna, "message_id": userMessage}).fine()
		s.call("deleteMessage", fields{"chat_id": anna, "message_id": first}).refused(400, "Bad Request: message to delete not found")
		s.rest(time.Second)
		s.call("deleteMessage", fields{"chat_id": anna, "message_id": second}).refused(400, "Bad Request: message can't be deleted for everyone")
		s.call("deleteMessages", fields{"chat_id": anna, "message_ids": []int{second}}).refused(400, "Bad Request: message can't be deleted for everyone")
		if last := s.Chat(anna).Last(); last.Text != "two" {
			s.Errorf("last is %+v", last)
		}
		s.clean()
	})
}

func TestDelete_OthersMessageInAGroup_RequiresAnAdministrator(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		userMessage := s.say(group, anna, "hello")
		s.call("deleteMessage", fields{"chat_id": group, "message_id": userMessage.ID}).refused(400, "Bad Request: message can't be deleted")
		s.call("deleteMessage", fields{"chat_id": group, "message_id": s.send(group, "own")}).fine()
		s.Promote(group, bot, "administrator")
		s.call("deleteMessage", fields{"chat_id": group, "message_id": userMessage.ID}).fine()
		s.clean()
	})
}

func TestDelete_Above100Messages_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		ids := make([]int, 101)
		for i := range ids {
			ids[i] = i + 1
		}
		s.send(anna, "one")
		s.call("deleteMessages", fields{"chat_id": anna, "message_ids": ids}).refused(400, "Bad Request: too many message identifiers specified")
		s.call("deleteMessages", fields{"chat_id": anna, "message_ids": []int{}}).refused(400, "Bad Request: message identifiers are not specified")
		s.call("deleteMessages", fields{"chat_id": anna, "message_ids": ids[:100]}).fine()
		if left := s.Chat(anna).Messages; len(left) != 0 {
			s.Errorf("left %+v", left)
		}
		s.clean()
	})
}

func TestButton_InvalidFields_AreRefused(t *testing.T) {
	t.Parallel()
	cases := []struct {
		button fields
		words  string
	}{
		{fields{"text": "a", "callback_data": strings.Repeat("x", 64)}, ""},
		{fields{"text": "a", "callback_data": strings.Repeat("x", 65)}, "BUTTON_DATA_INVALID"},
		{fields{"text": "a", "callback_data": strings.Repeat("€", 21) + "x"}, ""},
		{fields{"text": "a", "callback_data": strings.Repeat("€", 22)}, "BUTTON_DATA_INVALID"},
		{fields{"text": "a", "callback_data": ""}, "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"},
		{fields{"text": "a"}, "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"},
		{fields{"text": "", "callback_data": "x"}, "can't parse inline keyboard button: Field \"text\" must be of type String"},
		{fields{"text": "a", "callback_data": "x", "url": "https://x.org"}, "can't parse inline keyboard button: exactly one action is meant"},
		{fields{"text": "a", "url": "https://x.org"}, ""},
		{fields{"text": "a", "url": "nonsense"}, "BUTTON_URL_INVALID"},
		{fields{"text": "a", "callback_data": "x", "style": "danger"}, ""},
	}
	for _, tc := range cases {
		onStage(t, func(s *stage) {
			got := s.call("sendMessage", fields{"chat_id": anna, "text": "x", "reply_markup": fields{"inline_keyboard": [][]fields{{tc.button}}}})
			if tc.words == "" {
				got.fine()
			} else {
				got.refused(400, "Bad Request: "+tc.words)
			}
			s.clean()
		})
	}
}

func TestButton_UnknownFieldOrStyle_IsAViolation(t *testing.T) {
	t.Parallel()
	for field, value := range map[string]string{"style": "red", "colour": "red"} {
		onStage(t, func(s *stage) {
			s.call("sendMessage", fields{"chat_id": anna, "text": "x", "reply_markup": fields{"inline_keyboard": [][]fields{
				{{"text": "a", "callback_data": "x", field: value}},
			}}}).fine()
			s.broken("a button's " + map[string]string{"style": `style "red"`, "colour": `field "colour"`}[field])
		})
	}
}

func TestReply_MissingMessage_IsRefusedUnlessAllowed(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		to := s.say(anna, anna, "question").ID
		m := s.call("sendMessage", fields{"chat_id": anna, "text": "x", "reply_parameters": fields{"message_id": to}}).message()
		if m.ReplyTo == nil || m.ReplyTo.Text != "question" {
			s.Errorf("got %+v", m.ReplyTo)
		}
		s.call("sendMessage", fields{"chat_id": anna, "text": "x", "reply_parameters": fields{"message_id": 99}}).
			refused(400, "Bad Request: message to be replied not found")
		s.call("sendMessage", fields{"chat_id": anna, "text": "x", "reply_parameters": fields{"message_id": 99, "allow_sending_without_reply": true}}).fine()
	})
}
