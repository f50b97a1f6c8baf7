package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
)

const (
	honestPeople  = 4
	honestPace    = 100 * time.Millisecond // of each person: session, prompt, answer
	hostilePeople = 4
	hostilePace   = 20 * time.Millisecond // 200 requests per second: the default limit of an owner
	hostileSlices = 10                    // of each half: the machine's noise is in both
)

// hostile measures a server on PostgreSQL that two owners use. One owner is honest. The other sends
// values that a store can refuse, in every field that its token reaches. The honest owner's times
// are compared with those of the same run without the hostile owner; none of its requests may fail.
func hostile(out io.Writer, binary string, during time.Duration) error {
	f := clusterFigure{"hostile", func(ctx context.Context, out io.Writer, s *clusterStage) error {
		return hostileOwner(ctx, out, s, during)
	}}
	return f.onStage(out, binary)
}

func hostileOwner(ctx context.Context, out io.Writer, s *clusterStage, during time.Duration) error {
	node, err := s.startNode(ctx, "a")
	if err != nil {
		return err
	}
	h := &honestOwner{}
	attacker := &attacker{url: node.url, honest: h, answers: map[int]int{}}
	anna, err := s.mint(ctx, node, "anna", "read,prompt,stop")
	if err != nil {
		return err
	}
	if h.server, err = client.New(node.url, anna); err != nil {
		return err
	}
	if attacker.token, err = s.mint(ctx, node, "mallory", "read,prompt"); err != nil {
		return err
	}
	fmt.Fprintf(out, "an honest owner with %d sessions at a time, for %s alone and %s with a hostile owner, in turns of %s\n",
		honestPeople, during, during, during/hostileSlices)
	var alone, attacked honestTimes
	for range hostileSlices {
		h.use(ctx, during/hostileSlices, &alone)
		slice, end := context.WithTimeout(ctx, during/hostileSlices)
		var attacking sync.WaitGroup
		attacking.Go(func() { attacker.attack(slice) })
		h.use(ctx, during/hostileSlices, &attacked)
		end()
		attacking.Wait()
	}
	row(out, "prompt to accepted, alone", alone.accepted)
	row(out, "prompt to accepted, with the hostile owner", attacked.accepted)
	ratio(out, attacked.accepted, alone.accepted, "with to without")
	row(out, "prompt to end of the turn, alone", alone.ended)
	row(out, "prompt to end of the turn, with it", attacked.ended)
	ratio(out, attacked.ended, alone.ended, "with to without")
	fmt.Fprintf(out, "  requests of the hostile owner by status: %v\n", attacker.answers)
	fmt.Fprintf(out, "  refused requests of the honest owner: %d alone, %d with the hostile owner\n", len(alone.refused), len(attacked.refused))
	if refused := slices.Concat(alone.refused, attacked.refused); len(refused) > 0 {
		return fmt.Errorf("the honest owner was refused: %w", refused[0])
	}
	return attacker.unexpected
}

// mint creates a token of an owner.
func (s *clusterStage) mint(ctx context.Context, n *clusterNode, owner, scopes string) (string, error) {
	cmd := exec.CommandContext(ctx, s.binary, "token", "create", "--owner", owner, "--scope", scopes,
		"--config", filepath.Join(s.dir, n.name+".toml"), "--data-dir", filepath.Join(s.dir, n.name), "--store-url", s.store)
	cmd.Env = isolated(s.dir, n.name)
	printed, err := cmd.Output()
	words := strings.Fields(string(printed))
	if err != nil || len(words) == 0 {
		return "", fmt.Errorf("token of %s: %q, %w", owner, printed, err)
	}
	return words[len(words)-1], nil
}

// honestOwner creates sessions, prompts in them, and waits for the answers.
type honestOwner struct {
	server *client.Client

	mu      sync.Mutex
	session bellcord.SessionID // of its newest turn
	turn    bellcord.TurnID
}

type honestTimes struct {
	accepted, ended []time.Duration
	refused         []error
}

func (h *honestOwner) use(ctx context.Context, during time.Duration, into *honestTimes) {
	var mu sync.Mutex
	var people sync.WaitGroup
	for range honestPeople {
		people.Go(func() {
			for end := time.Now().Add(during); time.Now().Before(end) && ctx.Err() == nil; {
				accepted, ended, err := h.turnOnce(ctx)
				mu.Lock()
				if err != nil {
					into.refused = append(into.refused, err)
				} else {
					into.accepted, into.ended = append(into.accepted, accepted), append(into.ended, ended)
				}
				mu.Unlock()
				_ = pause(ctx, honestPace) // the loop sees the end of ctx
			}
		})
	}
	people.Wait()
}

func (h *honestOwner) turnOnce(ctx context.Context) (accepted, ended time.Duration, err error) {
	session, err := h.server.NewSession(ctx, api.NewSession{Title: "honest"})
	if err != nil {
		return 0, 0, err
	}
	began, id := time.Now(), bellcord.NewTurnID()
	if _, err := h.server.Prompt(ctx, session.ID, api.NewTurn{ID: string(id), Text: "[say ok]"}); err != nil {
		return 0, 0, err
	}
	accepted = time.Since(began)
	h.mu.Lock()
	h.session, h.turn = session.ID, id
	h.mu.Unlock()
	turn, err := h.server.Turn(ctx, id, 30*time.Second)
	ended = time.Since(began)
	if err == nil && (turn.Receipt == nil || turn.Receipt.End != bellcord.EndDone) {
		err = fmt.Errorf("turn %s is %s after %s", id, turn.State, ended)
	}
	return accepted, ended, err
}

func (h *honestOwner) newest() (bellcord.SessionID, bellcord.TurnID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session, h.turn
}
