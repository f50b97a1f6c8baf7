package postgres

import (
	"sync"
	"time"
)

// storeClock estimates the database's clock from the answers to lease renewals. An
// answer was written between its request and its arrival, so the error is at most
// half of that time. The best answer is kept until its age makes another one
// better. While the database cannot be reached, the clock advances with the local
// monotonic clock.
type storeClock struct {
	mu   sync.Mutex
	then time.Time     // time of the database's clock
	at   time.Time     // local monotonic time at that moment
	most time.Duration // largest error at that moment
	last time.Time     // last time that was returned
}

const (
	// clockDrift limits how much two clocks may differ in rate: by one part in 5000,
	// which is four times the tolerance of usual quartz clocks.
	clockDrift = 5000
	// mostCorrected is the largest correction of the estimate for which the clock
	// does not go back, but waits. A larger one means that the database's clock was
	// set, or that another database has taken over.
	mostCorrected = time.Second
)

// set sets the database's time, which was read between two local times.
func (c *storeClock) set(nanoseconds int64, requested, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	half := answered.Sub(requested) / 2
	then, at := time.Unix(0, nanoseconds), requested.Add(half)
	expected, most := c.estimate(at)
	if differs := then.Sub(expected).Abs(); c.at.IsZero() || half <= most || differs > half+most {
		c.then, c.at, c.most = then, at, half
	}
}

// estimate returns the database's time at a local time, and its largest error.
func (c *storeClock) estimate(local time.Time) (time.Time, time.Duration) {
	age := local.Sub(c.at)
	return c.then.Add(age), c.most + age.Abs()/clockDrift
}

// Clock returns an estimate of the database's time and its largest error, without
// I/O. It does not depend on this machine's wall clock. The times increase, unless
// the database's clock is set back by more than a second.
func (s *Store) Clock() (time.Time, time.Duration) {
	c := &s.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	now, most := c.estimate(time.Now())
	if back := c.last.Sub(now); back >= 0 && back < mostCorrected {
		now = c.last.Add(1) // the store identifies ops by their time
	}
	c.last = now
	return now, most
}

// Now returns the time of Clock.
func (s *Store) Now() time.Time {
	now, _ := s.Clock()
	return now
}
