package auth

import (
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// TooManyError means that the caller has to wait.
type TooManyError struct{ RetryAfter time.Duration }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many requests: try again in %s", e.RetryAfter.Round(time.Millisecond))
}

// limiter has a bucket for each key, full at first. Of a bucket it remembers only
// when it will be full again, so one that is full takes no room. When there are
// too many, the fullest is forgotten: that gives away the least.
type limiter struct {
	every time.Duration // one more fits after this time
	burst int           // that fit

	mu   sync.Mutex // from reading a bucket to writing it
	full *shelf[string, struct{}]
}

// mostBuckets bounds what a flood of addresses takes: about 2 MB.
const mostBuckets = 10_000

func newLimiter(every time.Duration, burst int) *limiter {
	return &limiter{every: every, burst: burst, full: newShelf[string, struct{}](mostBuckets)}
}

// takeToken takes one from the bucket, or returns how long it is until there is one.
func (l *limiter) takeToken(key string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	full := l.full.until(key)
	if full.Before(now) {
		full = now
	}
	full = full.Add(l.every)
	if wait := full.Sub(now) - l.every*time.Duration(l.burst); wait > 0 {
		return wait
	}
	l.full.put(key, struct{}{}, full)
	return 0
}

// give puts one back.
func (l *limiter) give(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if full := l.full.until(key); !full.IsZero() {
		l.full.put(key, struct{}{}, full.Add(-l.every))
	}
}

// clientKey says which clients share a bucket: those with one IPv4 address, or
// with one IPv6 network, all of whose addresses one host may have. Whoever has no
// address shares one bucket with the others who have none.
func clientKey(client string) string {
	addr, err := netip.ParseAddr(client)
	if err != nil {
		port, err := netip.ParseAddrPort(client)
		if err != nil {
			return ""
		}
		addr = port.Addr()
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.Prefix(64)
	if err != nil {
		return ""
	}
	return network.String()
}
