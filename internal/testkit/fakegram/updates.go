package fakegram

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	firstUpdate  = 700_001
	mostUpdates  = 100
	longestPoll  = 50 * time.Second
	updateKept   = 24 * time.Hour
	secondPoller = "terminated by other getUpdates request; make sure that only one bot instance is running"
)

var (
	updateTypes = strings.Fields("message edited_message channel_post edited_channel_post business_connection business_message" +
		" edited_business_message deleted_business_messages message_reaction message_reaction_count inline_query" +
		" chosen_inline_result callback_query shipping_query pre_checkout_query purchased_paid_media poll poll_answer" +
		" my_chat_member chat_member chat_join_request chat_boost removed_chat_boost managed_bot guest_message subscription" +
		" stopped_message_generation")
	onlyOnRequest = strings.Fields("chat_member message_reaction message_reaction_count")
)

// inbox contains the updates that the bot has not confirmed yet.
type inbox struct {
	next    int64
	pending []*update
	allowed []string    // empty means the default types
	poller  chan string // of the poll in progress: receives the reason to end it
}

// update is encoded when it is queued: later edits do not change it.
type update struct {
	id         int64
	at         time.Time
	raw        json.RawMessage
	onDelivery func(time.Time) // called at each delivery to the bot
}

// queueUpdate puts an update into the inbox. It returns false if the bot did
// not subscribe to its type. The caller must hold the lock.
func (s *Server) queueUpdate(now time.Time, kind string, body any, onDelivery func(time.Time)) bool {
	allowed := s.inbox.allowed
	if len(allowed) > 0 && !slices.Contains(allowed, kind) || len(allowed) == 0 && slices.Contains(onlyOnRequest, kind) {
		return false
	}
	id := s.inbox.next
	s.inbox.next++
	raw := encode(map[string]any{"update_id": id, kind: body})
	s.inbox.pending = append(s.inbox.pending, &update{id: id, at: now, raw: raw, onDelivery: onDelivery})
	return true
}

func (in *inbox) dropExpired(now time.Time) {
	in.pending = slices.DeleteFunc(in.pending, func(u *update) bool { return now.Sub(u.at) >= updateKept })
}

// confirm drops the updates before offset; a negative offset keeps that many
// from the end.
func (in *inbox) confirm(offset int64) {
	if offset < 0 {
		in.pending = in.pending[max(0, len(in.pending)+int(offset)):]
		return
	}
	in.pending = slices.DeleteFunc(in.pending, func(u *update) bool { return u.id < offset })
}

func (in *inbox) takeUpdates(limit int) []*update {
	return slices.Clone(in.pending[:min(limit, len(in.pending))])
}

// handOver records the delivery of updates, just before the response is
// written.
func (s *Server) handOver(updates []*update) {
	s.change(func(now time.Time) {
		for _, u := range updates {
			if u.onDelivery != nil {
				u.onDelivery(now)
			}
		}
	})
}

func raws(updates []*update) []json.RawMessage {
	out := []json.RawMessage{}
	for _, u := range updates {
		out = append(out, u.raw)
	}
	return out
}

// allow reads allowed_updates. It applies to updates created from now on, until
// another call changes it.
func (s *Server) allow(now time.Time, q *request) error {
	if q.params["allowed_updates"] == "" {
		return nil
	}
	var kinds []string
	if err := q.object("allowed_updates", &kinds); err != nil {
		return err
	}
	for _, kind := range kinds {
		if !slices.Contains(updateTypes, kind) {
			s.violate(now, "%s: allowed_updates has %q, which is unknown", q.method, kind)
		}
	}
	s.inbox.allowed = kinds
	return nil
}

// poll executes getUpdates. A second poller ends the first and is refused too.
func (s *Server) poll(ctx context.Context, q *request) (updates []*update, err error) {
	limit := q.numberOr("limit", mostUpdates)
	if limit < 1 || limit > mostUpdates {
		limit = mostUpdates
	}
	patience := min(time.Duration(q.numberOr("timeout", 0))*time.Second, longestPoll)
	poller := make(chan string, 1)
	s.change(func(now time.Time) { err = s.beginPoll(now, q, poller) })
	if err != nil {
		return nil, err
	}
	defer s.change(func(time.Time) {
		if s.inbox.poller == poller {
			s.inbox.poller = nil
		}
	})
	return s.await(ctx, limit, time.Now().Add(patience), poller)
}

func (s *Server) beginPoll(now time.Time, q *request, poller chan string) error {
	for _, name := range q.names() {
		if !slices.Contains(methods["getupdates"].params, name) {
			s.violate(now, "getUpdates: parameter %q is unknown", name)
		}
	}
	if again, waits := s.pollBan.broken(now); waits {
		s.violate(now, "getUpdates: a poll before its wait was over; it is %d s now", again)
		return tooMany(again)
	}
	if s.hook != nil {
		return conflict("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	if s.inbox.poller != nil {
		s.endPoll(secondPoller)
		return conflict(secondPoller)
	}
	if err := s.allow(now, q); err != nil {
		return err
	}
	s.inbox.confirm(int64(q.numberOr("offset", 0)))
	s.inbox.poller = poller
	return nil
}

// endPoll ends the poll in progress, if any. The caller must hold the lock.
func (s *Server) endPoll(why string) {
	if s.inbox.poller != nil {
		s.inbox.poller <- why
		s.inbox.poller = nil
	}
}

// await returns updates as soon as there are some, and an empty list after the
// timeout.
func (s *Server) await(ctx context.Context, limit int, until time.Time, poller <-chan string) ([]*update, error) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	over := false
	for {
		var updates []*update
		var changed <-chan struct{}
		s.read(func(time.Time) {
			changed = s.changed
			if len(poller) == 0 {
				updates = s.inbox.takeUpdates(limit)
			}
		})
		if len(updates) > 0 || over && len(poller) == 0 {
			return updates, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			over = true
		case why := <-poller:
			return nil, conflict(why)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
