package laws_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// setting is the configuration of a stage.
type setting struct {
	ground ground // SQLite by default
	format string
	dir    string
	from   origin // origin of the scene's stop; the core by default
}

// onStageAt runs a scene under a fake clock. The clock stands still during
// requests to PostgreSQL, because a goroutine that waits for a socket is not
// durably blocked.
func onStageAt(t *testing.T, at setting, play func(s *stage)) {
	t.Helper()
	home := at.ground.home(t, at.dir)
	synctest.Test(t, func(t *testing.T) {
		if at.ground.shared {
			<-time.After(nextMoment())
		}
		play(newStage(t, home, at))
	})
}

// atEveryCut plays a scene for each cut point on every store and checks a law.
// CI runs every law in every wire format, and with the stop sent over HTTP.
func atEveryCut(t *testing.T, law func(t *testing.T, sc scene)) {
	t.Helper()
	in := formats[:1]
	if *everyFormat {
		in = formats
	}
	atEveryCutIn(t, in, law)
}

// atEveryCutIn is atEveryCut with models that use the given wire formats, for
// laws about requests to models. The origin of a stop and the wire format are
// independent, so other origins and other stores run with one format only.
func atEveryCutIn(t *testing.T, in []string, law func(t *testing.T, sc scene)) {
	t.Helper()
	for _, on := range grounds(t) {
		if on.shared {
			t.Run(on.name, func(t *testing.T) { atEveryCutOfNodes(t, on, in[0], law) })
			continue
		}
		for _, format := range in {
			atEveryCutFrom(t, format, setting{format: format, from: origins[0]}, law)
		}
		for _, from := range origins {
			if *everyOrigin && from.http && from.link == sameNode {
				atEveryCutFrom(t, from.name, setting{format: in[0], from: from}, law)
			}
		}
	}
}

// atEveryCutOfNodes is atEveryCut on a store that nodes share. The stop arrives
// at the turn's own node, at another node over NATS, or at another node that
// has only the store; cut points and laws alternate between them. With
// everyNode each cut point is run with each of them.
func atEveryCutOfNodes(t *testing.T, on ground, format string, law func(t *testing.T, sc scene)) {
	t.Helper()
	if *everyNode {
		for _, from := range origins {
			if !from.mute {
				atEveryCutFrom(t, from.name, setting{ground: on, format: format, from: from}, law)
			}
		}
		return
	}
	ways := on.ways(0)
	for i, c := range cuts {
		from := ways[(i+len(t.Name()))%len(ways)]
		if from.silentAt(c) != "" {
			from = ways[0]
		}
		atCut(t, from.name, c, setting{ground: on, format: format, from: from}, law)
	}
}

func atEveryCutFrom(t *testing.T, name string, at setting, law func(t *testing.T, sc scene)) {
	t.Helper()
	for _, c := range cuts {
		atCut(t, name, c, at, law)
	}
}

func atCut(t *testing.T, name string, c cut, at setting, law func(t *testing.T, sc scene)) {
	t.Helper()
	c.end = at.from.endAt(c)
	t.Run(name+"/"+c.name, func(t *testing.T) {
		t.Parallel()
		if why := at.from.silentAt(c); why != "" {
			t.Skip(why)
		}
		at.dir = t.TempDir()
		onStageAt(t, at, func(s *stage) { law(s.t, s.stopAt(c)) })
	})
}
