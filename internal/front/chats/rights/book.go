package rights

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
)

// book is the content of the file.
type book struct {
	Paired    []Paired   `json:"paired"`
	Strangers []stranger `json:"strangers"`
	Wrong     int        `json:"wrong,omitempty"` // codes that were tried in vain since one was right
}

// stranger is a person that the bot has turned away.
type stranger struct {
	Stranger
	Told    time.Time   `json:"told"`              // the last time
	Refused bool        `json:"refused,omitempty"` // that time without a code
	Codes   []time.Time `json:"codes,omitempty"`   // when codes were given, for a day
	Hash    string      `json:"hash,omitempty"`    // of the last code, while it can be paired
}

func (s stranger) open(now time.Time) bool { return s.Hash != "" && now.Before(s.Told.Add(codeLife)) }

func (b *book) pairedAt(id chats.ID) int {
	return slices.IndexFunc(b.Paired, func(p Paired) bool { return p.ID == id })
}

func (b *book) strangerAt(id chats.ID) int {
	return slices.IndexFunc(b.Strangers, func(s stranger) bool { return s.ID == id })
}

func (b *book) open(now time.Time) (n int) {
	for _, s := range b.Strangers {
		if s.open(now) {
			n++
		}
	}
	return n
}

// dropExpired removes expired entries, which keeps the file small.
func (b *book) dropExpired(now time.Time) {
	old := func(t time.Time) bool { return !now.Before(t.Add(day)) }
	b.Strangers = slices.DeleteFunc(b.Strangers, func(s stranger) bool { return old(s.Told) })
	for i := range b.Strangers {
		s := &b.Strangers[i]
		s.Codes = slices.DeleteFunc(slices.Clone(s.Codes), old) // readers may share the old slice
		if !s.open(now) {
			s.Hash = ""
		}
	}
	if b.open(now) == 0 {
		b.Wrong = 0
	}
}
