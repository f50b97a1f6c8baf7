package config_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestTelegram_Token_IsReadFromSettingsFileOrEnvironment(t *testing.T) {
	home := clean(t)
	file := write(t, filepath.Join(home, "token"), "2:KEPT\n")
	for _, test := range []struct{ name, text, env, want string }{
		{"nothing", "", "", ""},
		{"in the settings", `token = "1:FILE"`, "", "1:FILE"},
		{"in a file of its own", fmt.Sprintf("token_file = %q", file), "", "2:KEPT"},
		{"in the environment", "", "3:ENV", "3:ENV"},
		{"in the environment, over the settings", `token = "1:FILE"`, "3:ENV", "3:ENV"},
		{"in the environment, over the file", fmt.Sprintf("token_file = %q", file), "3:ENV", "3:ENV"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("BELLCORD_TELEGRAM_TOKEN", test.env)
			c, err := config.Load(write(t, filepath.Join(t.TempDir(), "c.toml"), "[telegram]\n"+test.text))
			if err != nil || c.Check() != nil {
				t.Fatal(err, c.Check())
			}
			got, err := c.Telegram.ReadToken()
			if got != test.want || (err == nil) != (test.want != "") || c.Telegram.On() != (test.want != "") {
				t.Errorf("%q, %v, on: %v", got, err, c.Telegram.On())
			}
		})
	}
}

func TestTelegram_PrintedSettingsAndErrors_ContainNoToken(t *testing.T) {
	t.Parallel()
	c := config.Config{Mode: "ask", Telegram: config.Telegram{Token: "1:HIDDEN", WebhookSecret: "HIDDEN-at-the-webhook"}}
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %#v %s", c, c, c, asJSON)
	c.Telegram.Token += " broken"
	printed += fmt.Sprint(c.Check())
	c.Telegram = config.Telegram{Token: "1:HIDDEN", TokenFile: "x"}
	printed += fmt.Sprint(c.Check())
	c.Telegram = config.Telegram{TokenFile: write(t, filepath.Join(t.TempDir(), "token"), "HIDDEN")}
	_, err = c.Telegram.ReadToken()
	printed += fmt.Sprint(err)
	if strings.Contains(printed, "HIDDEN") {
		t.Error(printed)
	}
}

func TestTelegramCheck_InvalidOrUnsafeSettings_ReturnsTheReason(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		bot config.Telegram
		why string // "" if the settings are valid
	}{
		{config.Telegram{}, ""},
		{config.Telegram{Token: "1:TEST"}, ""},
		{config.Telegram{Token: "1:TEST", TokenFile: "f"}, "both set"},
		{config.Telegram{Token: "TEST"}, "BotFather"},
		{config.Telegram{Token: "1:a/../b"}, "BotFather"},
		{config.Telegram{APIURL: "https://bots.example.com"}, ""},
		{config.Telegram{APIURL: "http://127.0.0.1:11436"}, ""},
		{config.Telegram{APIURL: "http://10.0.0.2:8081"}, ""},
		{config.Telegram{APIURL: "http://botapi:8081"}, ""},
		{config.Telegram{APIURL: "http://bots.example.com"}, "unencrypted"},
		{config.Telegram{APIURL: "http://192.0.2.1"}, "unencrypted"},
		{config.Telegram{APIURL: "bots.example.com"}, "https://host"},
		{config.Telegram{APIURL: "https://a:b@bots.example.com"}, "https://host"},
		{config.Telegram{WebhookURL: "https://bot.example.com/x"}, ""},
		{config.Telegram{WebhookURL: "http://bot.example.com/x"}, "webhook"},
		{config.Telegram{WebhookURL: "https:///x"}, "webhook"},
		{config.Telegram{WebhookSecret: "0123456789abcDEF"}, ""},
		{config.Telegram{WebhookSecret: "short"}, "secret"},
		{config.Telegram{WebhookSecret: "0123456789abc DEF"}, "secret"},
		{config.Telegram{Users: map[string]int64{"anna": 1, "ben": 2}, Groups: map[string]int64{"all": -1}}, ""},
		{config.Telegram{Users: map[string]int64{"anna": -1}}, "users.anna"},
		{config.Telegram{Users: map[string]int64{"anna": 0}}, "users.anna"},
		{config.Telegram{Users: map[string]int64{"anna": 1, "ben": 1}}, "anna and ben"},
		{config.Telegram{Groups: map[string]int64{"all": 1}}, "groups.all"},
		{config.Telegram{WhenBusy: "replace"}, ""},
		{config.Telegram{WhenBusy: "queue"}, ""},
		{config.Telegram{WhenBusy: "shout"}, "queue or replace"},
		{config.Telegram{WhenBusy: "hold"}, "queue or replace"}, // the name in earlier versions
		{config.Telegram{MaxMessageAge: -1}, "negative"},
		{config.Telegram{SessionIdleTimeout: -1}, "negative"},
		{config.Telegram{Dir: "work"}, "absolute path"},
		{config.Telegram{Mode: "yolo"}, "mode"},
	} {
		err := config.Config{Mode: "ask", Telegram: test.bot}.Check()
		if (err == nil) != (test.why == "") || err != nil && !strings.Contains(err.Error(), test.why) {
			t.Errorf("%+v: %v, not %q", test.bot, err, test.why)
		}
	}
}
