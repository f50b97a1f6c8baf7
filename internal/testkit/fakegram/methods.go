package fakegram

import "strings"

// method describes a method of the API.
type method struct {
	name    string
	params  []string // supported parameters; others are violations
	counts  weight
	reaches bool // the bot must be allowed to write to the chat
	polls   bool // executed by poll, which waits without the lock
	do      func(*play) (any, error)
}

const (
	sendParams = "chat_id message_thread_id parse_mode disable_notification protect_content allow_paid_broadcast" +
		" message_effect_id reply_parameters reply_markup"
	fileParams = " caption caption_entities"
)

// methods contains the methods by lower-case name: Telegram ignores case.
var methods = index(
	method{name: "getMe", do: (*play).getMe},
	method{name: "getUpdates", params: strings.Fields("offset limit timeout allowed_updates"), polls: true},
	method{name: "setWebhook", params: strings.Fields("url ip_address max_connections allowed_updates drop_pending_updates secret_token"), do: (*play).setWebhook},
	method{name: "deleteWebhook", params: strings.Fields("drop_pending_updates"), do: (*play).deleteWebhook},
	method{name: "getWebhookInfo", do: (*play).webhookInfo},
	method{name: "sendMessage", params: strings.Fields(sendParams + " text entities link_preview_options"), counts: weighsMessage, reaches: true, do: (*play).sendMessage},
	method{name: "sendDocument", params: strings.Fields(sendParams + fileParams + " document thumbnail disable_content_type_detection"), counts: weighsMessage, reaches: true, do: (*play).sendDocument},
	method{name: "sendPhoto", params: strings.Fields(sendParams + fileParams + " photo show_caption_above_media has_spoiler"), counts: weighsMessage, reaches: true, do: (*play).sendPhoto},
	method{name: "editMessageText", params: strings.Fields("chat_id message_id text parse_mode entities link_preview_options reply_markup"), counts: weighsEdit, reaches: true, do: (*play).editText},
	method{name: "editMessageReplyMarkup", params: strings.Fields("chat_id message_id reply_markup"), counts: weighsEdit, reaches: true, do: (*play).editMarkup},
	method{name: "deleteMessage", params: strings.Fields("chat_id message_id"), do: (*play).deleteOne},
	method{name: "deleteMessages", params: strings.Fields("chat_id message_ids"), do: (*play).deleteMany},
	method{name: "sendMessageDraft", params: strings.Fields("chat_id message_thread_id draft_id text parse_mode entities can_stop keep_on_stop"), counts: weighsDraft, reaches: true, do: (*play).sendDraft},
	method{name: "sendChatAction", params: strings.Fields("chat_id message_thread_id action"), reaches: true, do: (*play).sendAction},
	method{name: "answerCallbackQuery", params: strings.Fields("callback_query_id text show_alert cache_time"), do: (*play).answerQuery},
	method{name: "setMyCommands", params: strings.Fields("commands scope language_code"), do: (*play).setCommands},
	method{name: "getMyCommands", params: strings.Fields("scope language_code"), do: (*play).getCommands},
	method{name: "getFile", params: strings.Fields("file_id"), do: (*play).getFile},
	method{name: "getChat", params: strings.Fields("chat_id"), do: (*play).getChat},
	method{name: "getChatMember", params: strings.Fields("chat_id user_id"), do: (*play).getMember},
)

func index(all ...method) map[string]method {
	byName := map[string]method{}
	for _, m := range all {
		byName[strings.ToLower(m.name)] = m
	}
	return byName
}
