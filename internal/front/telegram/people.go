package telegram

import (
	"fmt"
	"strconv"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

// Rights are the settings of a bot's list of rights, with the numbers of Telegram.
type Rights struct {
	Users  map[string]int64 // people, by the name that owns their sessions and stops
	Groups map[string]int64 // groups in which these people may use the bot, named likewise

	Pairing bool   // strangers receive a code that the owner can approve
	File    string // stores paired people and open codes; "" keeps them in memory
}

// Open returns the list. It fails if the settings are invalid or the file cannot be
// read.
func (r Rights) Open() (*rights.List, error) {
	people, groups := map[chats.ID]string{}, map[chats.ID]string{}
	for name, n := range r.Users { // each number has one name: the settings were checked
		id := personID(n)
		if id == "" {
			return nil, fmt.Errorf("telegram: %d is not the ID of a Telegram user", n)
		}
		people[id] = name
	}
	for name, n := range r.Groups {
		if n >= 0 {
			return nil, fmt.Errorf("telegram: %d is not the ID of a Telegram group (those are negative)", n)
		}
		groups[idOf(n)] = name
	}
	return rights.Open(rights.Config{Platform: platform, People: people, Groups: groups, Pairing: r.Pairing, File: r.File})
}

// ParseID returns the ID of the user or group with a number that a person typed.
func ParseID(number string) (chats.ID, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%q is not a Telegram id", number)
	}
	return idOf(n), nil
}

// personID converts the number of a user to an ID. It returns "" for numbers that
// stand for many people: they never get access.
func personID(n int64) chats.ID {
	const (
		anonymousAdmin = 1087968824
		anyChannel     = 136817688
		telegramItself = 777000
	)
	if n <= 0 || n == anonymousAdmin || n == anyChannel || n == telegramItself {
		return ""
	}
	return idOf(n)
}
