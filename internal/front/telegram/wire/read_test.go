package wire_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

func TestRead_EachKindOfUpdate_HasAllFields(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		began := time.Now()
		e := s.poll(b)
		s.sendTexts(anna, "hello")
		id, err := b.Send(s.Context(), wire.Text{Place: wire.Place{Chat: anna}, Text: "x", Buttons: [][]wire.Button{{{Text: "Go", Data: "g"}}}})
		if err != nil {
			s.Fatal(err)
		}
		button, _ := s.Chat(anna).Button("Go")
		rest(1500 * time.Millisecond)
		query, err := s.Press(anna, button)
		if err != nil {
			s.Fatal(err)
		}
		if err := b.Draft(s.Context(), wire.Draft{Place: wire.Place{Chat: anna}, ID: 9, Stop: true}); err != nil {
			s.Fatal(err)
		}
		if err := s.PressStop(anna); err != nil {
			s.Fatal(err)
		}
		if err := b.Answer(s.Context(), query, "", false); err != nil {
			s.Fatal(err)
		}
		s.Block(anna)
		synctest.Wait()
		chat, sender := wire.Place{Chat: anna}, wire.Person{ID: anna, Name: "Anna Bell", Username: "anna"}
		want := []wire.Update{
			{ID: 700_001, At: began, Message: &wire.Message{ID: 1, Place: chat, From: sender, Text: "hello"}},
			{ID: 700_002, At: began.Add(1500 * time.Millisecond), Press: &wire.Press{Query: query, Place: chat, Message: id, From: sender, Data: "g"}},
			{ID: 700_003, At: began.Add(1500 * time.Millisecond), Stopped: &wire.Stopped{Place: chat, Draft: 9}},
			{ID: 700_004, At: began.Add(time.Second), Gone: &wire.Gone{Place: chat, By: sender}},
		}
		same(s, e.updates(), want)
		e.hang()
	})
}

func same(s *stage, got, want []wire.Update) {
	s.Helper()
	if len(got) != len(want) {
		s.Fatalf("%d updates, not %d", len(got), len(want))
	}
	shown := func(u wire.Update) string {
		return fmt.Sprintf("%d %v %+v %+v %+v %+v", u.ID, u.At.UTC(), u.Message, u.Press, u.Stopped, u.Gone)
	}
	for i := range got {
		if shown(got[i]) != shown(want[i]) {
			s.Errorf("update %d is\n%s\nnot\n%s", i, shown(got[i]), shown(want[i]))
		}
	}
}

func TestRead_GroupTopicAndReply_HavePlaceAndReplyFields(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		own, err := b.Send(s.Context(), wire.Text{Place: wire.Place{Chat: group}, Text: "I am here"})
		if err != nil {
			s.Fatal(err)
		}
		topic := s.OpenThread(group)
		if _, err := s.Reply(group, ben, own, "yes?"); err != nil {
			s.Fatal(err)
		}
		if _, err := s.SayIn(group, topic, anna, "/stop"); err != nil {
			s.Fatal(err)
		}
		synctest.Wait()
		got := e.updates()
		reply, inTopic := got[0].Message, got[1].Message
		if reply.ReplyTo != own || !reply.ReplyToSelf || !reply.Place.Group || reply.Place.Title != "Ringers" || reply.Topic {
			s.Errorf("the reply is %+v", reply)
		}
		if inTopic.Place.Thread != topic || !inTopic.Topic || inTopic.ReplyToSelf || inTopic.Place.Chat != group {
			s.Errorf("the word in the topic is %+v", inTopic)
		}
		if _, err := b.Send(s.Context(), wire.Text{Place: inTopic.Place, Text: "there"}); err != nil {
			s.Error(err)
		}
		if last := s.Chat(group).Last(); last.Thread != topic {
			s.Errorf("it came to %d", last.Thread)
		}
		e.hang()
	})
}

const fromAnna = `"from":{"id":1001,"first_name":"Anna"},"date":1`

// read posts an update with this body to a bot and returns the update that is
// delivered, or nil.
func read(t *testing.T, body string) (out *wire.Update) {
	t.Helper()
	hooked(t, func(s *stage, _ func(http.Handler)) {
		b := s.bot()
		if code := post(b, http.MethodPost, "open_sesame", `{"update_id":7,`+body+`}`); code != http.StatusOK {
			s.Fatalf("%s is answered with %d", body, code)
		}
		e := s.serve(b)
		synctest.Wait()
		if all := e.updates(); len(all) > 0 {
			out = &all[0]
		}
		e.hang()
	})
	return out
}

func TestRead_UnusableOrAnonymousUpdate_IsIgnored(t *testing.T) {
	t.Parallel()
	const private = `"chat":{"id":1001,"type":"private"}`
	const inGroup = `"chat":{"id":-5,"type":"supergroup","title":"R"}`
	for name, body := range map[string]string{
		"a post of a channel":       `"channel_post":{"message_id":1,"date":1,"text":"x","chat":{"id":-5,"type":"channel"}}`,
		"a message of a channel":    `"message":{"message_id":1,"text":"x",` + fromAnna + `,"chat":{"id":-5,"type":"channel"}}`,
		"nobody":                    `"message":{"message_id":1,"date":1,"text":"x",` + inGroup + `}`,
		"in the name of the group":  `"message":{"message_id":1,"text":"x",` + fromAnna + `,"sender_chat":{"id":-5,"type":"supergroup"},` + inGroup + `}`,
		"a new title":               `"message":{"message_id":1,"new_chat_title":"x",` + fromAnna + `,` + inGroup + `}`,
		"a press under inline":      `"callback_query":{"id":"1","from":{"id":1001},"inline_message_id":"x","data":"d"}`,
		"the bot came":              `"my_chat_member":{` + fromAnna + `,` + inGroup + `,"new_chat_member":{"status":"member","user":{"id":1}},"old_chat_member":{"status":"left","user":{"id":1}}}`,
		"something of later years":  `"thought":{"of":"a bell"}`,
		"nothing that we can read":  `"message":7`,
		"somebody of another shape": `"message":{"message_id":1,"text":"x","from":"anna",` + private + `}`,
	} {
		if u := read(t, body); u != nil {
			t.Errorf("%s is handed out: %+v", name, u)
		}
	}
}

func TestRead_MessageWithoutTextAndFile_NamesItsContent(t *testing.T) {
	t.Parallel()
	const private = `"chat":{"id":1001,"type":"private"}`
	for content, want := range map[string]string{
		`"sticker":{"file_id":"s"}`:                         "stickers",
		`"location":{"latitude":1,"longitude":2}`:           "locations",
		`"contact":{"phone_number":"1","first_name":"Ben"}`: "contacts",
		`"poll":{"id":"1","question":"x","options":[]}`:     "polls",
		`"dice":{"emoji":"🎲","value":3}`:                    "messages of this kind",
	} {
		u := read(t, `"message":{"message_id":1,"date":1,`+content+`,`+fromAnna+`,`+private+`}`)
		if u == nil || u.Message == nil || u.Message.Unsupported != want {
			t.Errorf("%s: %+v, want %q", content, u, want)
		}
	}
}

func TestRead_PhotoOrRecording_IsOneFile(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]wire.File{
		`"photo":[{"file_id":"s","width":90,"height":60,"file_size":10},{"file_id":"l","width":900,"height":600,"file_size":70},{"file_id":"m","width":300,"height":200}]`: {ID: "l", Name: "photo.jpg", Type: "image/jpeg", Size: 70, Photo: true},
		`"voice":{"file_id":"v","duration":1,"file_size":5}`:                                        {ID: "v", Name: "voice.ogg", Type: "audio/ogg", Size: 5},
		`"audio":{"file_id":"a","file_name":"b.flac","mime_type":"audio/flac"}`:                     {ID: "a", Name: "b.flac", Type: "audio/flac"},
		`"video":{"file_id":"v","mime_type":"video/webm"}`:                                          {ID: "v", Name: "video.mp4", Type: "video/webm"},
		`"video_note":{"file_id":"n","file_size":6}`:                                                {ID: "n", Name: "video.mp4", Type: "video/mp4", Size: 6},
		`"document":{"file_id":"d"}`:                                                                {ID: "d", Name: "document", Type: "application/octet-stream"},
		`"animation":{"file_id":"d"},"document":{"file_id":"d","file_name":"g.mp4","mime_type":""}`: {ID: "d", Name: "g.mp4", Type: "application/octet-stream"},
	} {
		u := read(t, `"message":{"message_id":1,"caption":"look",`+fromAnna+`,"chat":{"id":1001,"type":"private"},`+body+`}`)
		if u == nil || u.Message.Text != "look" || fmt.Sprint(u.Message.Files) != fmt.Sprint([]wire.File{want}) {
			t.Errorf("%s is %+v", body, u)
		}
	}
}

func TestRead_MessageInTopic_OnlyRealReplyHasReplyTo(t *testing.T) {
	t.Parallel()
	const inTopic = `"message":{"message_id":9,"text":"x",` + fromAnna + `,"chat":{"id":-5,"type":"supergroup","title":"R","is_forum":true},"is_topic_message":true,"message_thread_id":3,`
	opened := read(t, inTopic+`"reply_to_message":{"message_id":3,"date":1,"from":{"id":1},"chat":{"id":-5,"type":"supergroup"},"forum_topic_created":{"name":"T","icon_color":1}}}`)
	if m := opened.Message; m.ReplyTo != 0 || m.ReplyToSelf || m.Place.Thread != 3 {
		t.Errorf("a word in a topic is %+v", m)
	}
	replied := read(t, inTopic+`"reply_to_message":{"message_id":4,"date":1,"from":{"id":1},"chat":{"id":-5,"type":"supergroup"}}}`)
	if m := replied.Message; m.ReplyTo != 4 || !m.ReplyToSelf {
		t.Errorf("a reply is %+v", m)
	}
	chain := read(t, `"message":{"message_id":9,"text":"x",`+fromAnna+`,"chat":{"id":-5,"type":"group","title":"R"},"message_thread_id":3}`)
	if m := chain.Message; m.Place.Thread != 0 || m.Topic || !m.Place.Group {
		t.Errorf("a word in a chain of replies is %+v", m)
	}
}

func TestRead_PressOnOldMessageAndRemovedBot_HaveTheirPlace(t *testing.T) {
	t.Parallel()
	old := read(t, `"callback_query":{"id":"4","from":{"id":1001,"first_name":"Anna"},"data":"d","message":{"message_id":6,"date":0,"chat":{"id":-5,"type":"supergroup","title":"R"}}}`)
	if p := old.Press; p.Message != 6 || p.Place.Chat != -5 || !p.Place.Group || p.Data != "d" {
		t.Errorf("the press is %+v", p)
	}
	left := read(t, `"my_chat_member":{`+fromAnna+`,"chat":{"id":-5,"type":"group","title":"R"},"new_chat_member":{"status":"left","user":{"id":1}},"old_chat_member":{"status":"member","user":{"id":1}}}`)
	if g := left.Gone; g.Place.Chat != -5 || g.By.ID != anna || left.At.Unix() != 1 {
		t.Errorf("the farewell is %+v", left)
	}
}
