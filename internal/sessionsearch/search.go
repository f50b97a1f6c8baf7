// Package sessionsearch finds sessions by words in their titles, prompts,
// answers and directories.
package sessionsearch

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// mostEvents is how many events of a session are searched: the last ones.
const mostEvents = 20_000

// Sessions are read in groups, several sessions of a group at a time.
const (
	groupSize = 32
	readers   = 4
)

// Searcher searches sessions. It caches their texts between searches. Its methods
// may be called concurrently.
type Searcher struct {
	options Options
	from    TextReader
	texts   *textCache // nil if texts are not searched
}

// Options configures a Searcher. The zero value is valid.
type Options struct {
	// OwnDir reports whether the directory of a session was created for the
	// session. Its path is not searched: a user has not chosen it. Nil means that
	// all paths are searched.
	OwnDir func(bellcord.Session) bool
	Logger *slog.Logger // nil means no logger
}

// New returns a Searcher of the texts that from reads. If from is nil, only titles
// and directories are searched.
func New(from TextReader, o Options) *Searcher {
	s := &Searcher{options: o, from: from}
	if from != nil {
		s.texts = newTextCache(from, cachedBytes)
	}
	if s.options.OwnDir == nil {
		s.options.OwnDir = func(bellcord.Session) bool { return false }
	}
	if s.options.Logger == nil {
		s.options.Logger = slog.New(slog.DiscardHandler)
	}
	return s
}

// Search returns the sessions that contain all words of a query, in the given
// order, and at most limit of them. A query without words matches every session.
// If it returns an error, the hits are those of the sessions before. NextCursor of
// the hits is not set: searched is the number of sessions that the hits are from.
func (s *Searcher) Search(ctx context.Context, sessions []bellcord.Session, query string, limit int) (found api.Hits, searched int, err error) {
	words := newPhrase(query)
	found = api.Hits{Hits: []api.Hit{}, Complete: true}
	tails, err := s.tails(ctx, sessions)
	if err != nil {
		return found, 0, err
	}
	for searched < len(sessions) && len(found.Hits) < limit {
		end := min(searched+groupSize, len(sessions))
		hits, n, err := s.searchGroup(ctx, sessions[searched:end], tails[searched:end], words)
		found.Hits = append(found.Hits, hits...)
		searched += n
		if err != nil {
			return cut(found, limit), searched, err
		}
	}
	found.Complete = searched == len(sessions)
	found = cut(found, limit)
	return found, searched, nil
}

// cut removes the hits behind the limit, which a group of sessions can have.
func cut(found api.Hits, limit int) api.Hits {
	if len(found.Hits) > limit {
		found.Hits, found.Complete = found.Hits[:limit], false
	}
	return found
}

// tails returns the last sequence numbers of sessions, and removes texts that
// are no longer needed.
func (s *Searcher) tails(ctx context.Context, sessions []bellcord.Session) ([]int64, error) {
	if s.texts == nil {
		return make([]int64, len(sessions)), nil
	}
	s.texts.prune()
	ids := make([]bellcord.SessionID, len(sessions))
	for i, session := range sessions {
		ids[i] = session.ID
	}
	return s.from.Tails(ctx, ids)
}

// searchGroup returns the sessions of a group that match, in their order, and the
// number of sessions that it has searched. The sessions are searched in parallel.
// After an error it returns the hits of the sessions before the one with the error.
func (s *Searcher) searchGroup(ctx context.Context, sessions []bellcord.Session, tails []int64, words phrase) ([]api.Hit, int, error) {
	results := make([]struct {
		hit     api.Hit
		matches bool
		err     error
	}, len(sessions))
	var reading sync.WaitGroup
	for first := range readers {
		reading.Go(func() {
			for i := first; i < len(sessions); i += readers {
				r := &results[i]
				r.hit, r.matches, r.err = s.searchSession(ctx, sessions[i], tails[i], words)
			}
		})
	}
	reading.Wait()
	var hits []api.Hit
	for i, r := range results {
		if r.err != nil {
			return hits, i, r.err
		}
		if r.matches {
			hits = append(hits, r.hit)
		}
	}
	return hits, len(sessions), nil
}

// searchSession returns the first match in a session: in its title, its prompts
// and answers, or its directory. Without words every session matches.
func (s *Searcher) searchSession(ctx context.Context, session bellcord.Session, tail int64, words phrase) (api.Hit, bool, error) {
	hit := api.Hit{Session: session, Where: api.InTitle}
	if words.empty() {
		hit.Pieces = []api.Piece{{Text: session.Title}}
		return hit, true, nil
	}
	if words.in(session.Title) {
		hit.Pieces = words.mark(session.Title)
		return hit, true, nil
	}
	messages, err := s.messages(ctx, session.ID, tail)
	if err != nil {
		return hit, false, err
	}
	for _, m := range messages {
		if words.in(m.text) {
			hit.Where, hit.Turn, hit.Pieces = m.where, m.turn, words.mark(m.text)
			return hit, true, nil
		}
	}
	if words.in(session.Dir) && !s.options.OwnDir(session) {
		hit.Where, hit.Pieces = api.InDir, words.mark(session.Dir)
		return hit, true, nil
	}
	return hit, false, nil
}

// messages returns the prompts and answers of a session. A session that was
// deleted in the meantime, and one that is damaged, has none.
func (s *Searcher) messages(ctx context.Context, id bellcord.SessionID, tail int64) ([]message, error) {
	if s.texts == nil {
		return nil, nil
	}
	messages, err := s.texts.messages(ctx, id, tail)
	if errors.Is(err, bellcord.ErrDamaged) {
		s.options.Logger.Warn("session was not searched", "session", id, "err", err)
		return nil, nil
	}
	return messages, err
}

// Forget removes the text of a session that was deleted.
func (s *Searcher) Forget(id bellcord.SessionID) {
	if s.texts != nil {
		s.texts.dropText(id)
	}
}
