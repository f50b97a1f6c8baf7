package laws_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// setting is what a stage is made of.
type setting struct {
	ground ground // SQLite, where nothing is said
	format string
	dir    string
	from   origin // of the scene's stop; the core, where nothing is said
}

// onStageAt runs a scene under a fake clock. It stands still while PostgreSQL is
// asked: who waits for a socket is not at rest.
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

// atEveryCut plays a scene for each cut point and holds a law against it, on
// every store. CI asks for every law in every format, and for every law with the
// stop sent over HTTP.
func atEveryCut(t *testing.T, law func(t *testing.T, sc scene)) {
	t.Helper()
	in := formats[:1]
	if *everyFormat {
		in = formats
	}
	atEveryCutIn(t, in, law)
}

// atEveryCutIn does so with models that speak the formats: for laws about what
// goes over the wire to them. Where a stop comes from and what a model speaks do
// not meet, so other origins, and other stores, are tried in one format.
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

// atEveryCutOfNodes does so on a store that nodes share. Each cut point is tried
// with the stop coming in at the turn's own node, at another one over NATS, or at
// one that has the store alone: another of these for the next cut point, and for
// the next law. Asked to, it tries each from everywhere.
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
