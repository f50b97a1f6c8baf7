package rights

import (
	"slices"
	"time"
)

// book is what the file holds.
type book struct {
	Paired    []Paired   `json:"paired"`
	Strangers []stranger `json:"strangers"`
	Wrong     int        `json:"wrong,omitempty"` // codes that were tried in vain since one was right
}

// stranger is one who was told that the bot is not for them.
type stranger struct {
	Stranger
	Told    time.Time   `json:"told"`              // the last time
	Refused bool        `json:"refused,omitempty"` // that time without a code
	Codes   []time.Time `json:"codes,omitempty"`   // when codes were given, for a day
	Hash    string      `json:"hash,omitempty"`    // of the last code, while it can be paired
}

func (s stranger) open(now time.Time) bool { return s.Hash != "" && now.Before(s.Told.Add(codeLife)) }

func (b *book) pairedAt(id int64) int {
	return slices.IndexFunc(b.Paired, func(p Paired) bool { return p.ID == id })
}

func (b *book) strangerAt(id int64) int {
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

// dropExpired drops what is too old to count, so that the file stays small.
func (b *book) dropExpired(now time.Time) {
	old := func(t time.Time) bool { return !now.Before(t.Add(day)) }
	b.Strangers = slices.DeleteFunc(b.Strangers, func(s stranger) bool { return old(s.Told) })
	for i := range b.Strangers {
		s := &b.Strangers[i]
		s.Codes = slices.DeleteFunc(slices.Clone(s.Codes), old) // a reader may have a copy of the book
		if !s.open(now) {
			s.Hash = ""
		}
	}
	if b.open(now) == 0 {
		b.Wrong = 0
	}
}
