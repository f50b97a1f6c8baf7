package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// TurnPath is the path parameter of a turn. It is exported for the same reason
// as SessionPath.
type TurnPath struct {
	Turn string `path:"turn" doc:"id of a turn"`
}

func (p TurnPath) id() string { return p.Turn }

type (
	madeTurn struct {
		Status   int
		Location string `header:"Location"`
		Body     api.Turn
	}
	newTurn struct {
		SessionPath
		Key  string `header:"Idempotency-Key" maxLength:"255" doc:"a repeated request with the same key returns the same turn"`
		Body api.NewTurn
	}
)

// turns has the operations for prompts and their turns.
type turns struct {
	views
	hub interface {
		prompter
		awaiter
	}
	limits  bellcord.Prompt
	dirs    *directories
	memory  *memoryGate
	watched *watched
}

func (t *turns) register(o *operations) {
	prompt := route("POST /v1/sessions/{session}/turns", "create-turn", bellcord.ScopePrompt,
		"Send a prompt: the turn is recorded before this returns, and can be stopped from then on "+
			"(with your own id: even before)")
	prompt.MaxBodyBytes = mostPrompt
	addResponse(o, withStatus(http.StatusAccepted, prompt), lookUp(o.session, t.prompt))
	add(o, route("GET /v1/turns", "list-turns", bellcord.ScopeRead, "List your turns that have not ended"), t.unended)
	add(o, route("GET /v1/turns/{turn}", "get-turn", bellcord.ScopeRead,
		"Get a turn; with ?wait=, once it has ended or that time has passed"), lookUp(o.record, t.get))
}

func (t *turns) prompt(ctx context.Context, found bellcord.Session, in *newTurn) (*madeTurn, error) {
	p, err := t.parse(ctx, found, in)
	if err != nil {
		return nil, err
	}
	if t.memory.overloaded() {
		return nil, errOverloaded
	}
	if err := t.dirs.mayUse(caller(ctx), found); err != nil {
		return nil, err
	}
	turn, err := t.hub.Accept(ctx, found.ID, p)
	switch {
	case errors.Is(err, bellcord.ErrTurnExists):
		return t.repeated(ctx, found.ID, p, in.Key)
	case err != nil:
		return nil, err
	}
	if p.OnDisconnect == bellcord.StopOnDisconnect {
		t.watched.bind(found.ID, turn)
	}
	return t.made(ctx, http.StatusAccepted, turn)
}

func (t *turns) made(ctx context.Context, status int, id bellcord.TurnID) (*madeTurn, error) {
	r, err := t.reader.Turn(ctx, id)
	if err != nil {
		return nil, err
	}
	return &madeTurn{status, "/v1/turns/" + string(id), t.outline(ctx, r)}, nil
}

// repeated responds to a prompt with an existing turn ID: the same prompt
// returns the existing turn, a different one is an error.
func (t *turns) repeated(
	ctx context.Context, session bellcord.SessionID, p bellcord.Prompt, key string,
) (*madeTurn, error) {
	r, err := t.record(ctx, string(p.Turn))
	differs := r.Session != session || r.Prompt.Text != p.Text || r.Prompt.Task != p.Task
	switch {
	case errors.Is(err, bellcord.ErrNoTurn): // another owner's turn: reveal only that the ID is taken
		err = bellcord.ErrTurnExists
	case err == nil && differs && key != "":
		err = errKeyUsed
	case err == nil && differs:
		err = bellcord.ErrTurnExists
	}
	if err != nil {
		return nil, err
	}
	return t.made(ctx, http.StatusOK, r.ID)
}

// parse returns the prompt of a request, within the server's limits.
func (t *turns) parse(ctx context.Context, session bellcord.Session, in *newTurn) (bellcord.Prompt, error) {
	p, body := t.limits, in.Body
	p.Task = bellcord.Task(body.Task)
	text, err := taskText(p.Task, body.Text, session)
	if err != nil {
		return p, err
	}
	p.Text, p.Images, p.Files, p.Links = text, body.Images, body.Files, body.Links
	hasControl := func(f bellcord.File) bool { return strings.ContainsFunc(f.Name, unicode.IsControl) }
	if i := slices.IndexFunc(p.Files, hasControl); i >= 0 {
		return p, badInput("files: the name of file %d contains control characters", i+1)
	}
	p.WhenBusy, p.OnDisconnect = bellcord.BusyPolicy(body.WhenBusy), bellcord.OnDisconnect(body.OnDisconnect)
	switch {
	case body.ID != "":
		id, err := bellcord.ParseTurnID(body.ID)
		if err != nil {
			return p, badInput("id: %v", err)
		}
		p.Turn = id
	case in.Key != "":
		p.Turn = bellcord.TurnID(keyed(ctx, "turn "+string(session.ID), in.Key))
	}
	if body.Deadline != "" {
		d, err := time.ParseDuration(body.Deadline)
		if err != nil || d <= 0 {
			return p, badInput("deadline %q: must be a positive duration, such as 90s", body.Deadline)
		}
		p.Deadline = tighter(p.Deadline, d)
	}
	p.MaxSteps = tighter(p.MaxSteps, body.MaxSteps)
	p.MaxTokens = tighter(p.MaxTokens, body.Budget.MaxTokens)
	p.MaxCostNanoUSD = tighter(p.MaxCostNanoUSD, int64(body.Budget.MaxCostUSD*1e9))
	return p, nil
}

// tighter returns the smaller of two limits; 0 means no limit.
func tighter[N int | int64 | time.Duration](configured, requested N) N {
	if configured == 0 || requested != 0 && requested < configured {
		return requested
	}
	return configured
}

func (t *turns) unended(ctx context.Context, _ *struct{}) (api.Turns, error) {
	unended, err := t.reader.UnendedTurns(ctx, "")
	if err != nil {
		return api.Turns{}, err
	}
	var visible []store.TurnRecord
	reach := caller(ctx).Reach()
	owners := map[bellcord.SessionID]string{}
	for _, r := range unended {
		owner, known := owners[r.Session]
		if !known && reach != "" {
			of, err := t.reader.Session(ctx, r.Session)
			if errors.Is(err, bellcord.ErrNoSession) {
				continue
			} else if err != nil {
				return api.Turns{}, err
			}
			owner, owners[r.Session] = of.Owner, of.Owner
		}
		if reach == "" || owner == reach {
			visible = append(visible, r)
		}
	}
	return api.Turns{Turns: t.turns(visible)}, nil
}

func (t *turns) get(ctx context.Context, r store.TurnRecord, in *struct {
	TurnPath
	Wait    string `query:"wait" doc:"how long to wait for the end of the turn, such as 30s; maximum 60s"`
	Include string `query:"include" enum:"answer" doc:"answer: add the agent's text and tool calls, as one value"`
},
) (view api.Turn, err error) {
	wait, err := waiting(in.Wait, 0)
	if err != nil {
		return view, err
	}
	if wait > 0 && r.State != bellcord.StateEnded {
		bounded, done := context.WithTimeout(ctx, wait)
		defer done()
		if err := t.hub.Await(bounded, r.ID); err != nil && bounded.Err() == nil {
			return view, err
		}
		if r, err = t.reader.Turn(context.WithoutCancel(ctx), r.ID); err != nil {
			return view, err
		}
	}
	view = t.turn(r)
	if in.Include == "answer" {
		answer, err := t.reader.TurnAnswer(ctx, r.ID)
		view.Answer = &answer
		return view, err
	}
	return view, nil
}
