package auth

import (
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// TooManyError means that a rate limit is exceeded. The caller may retry after
// RetryAfter.
type TooManyError struct{ RetryAfter time.Duration }

// Error implements error.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many requests: try again in %s", e.RetryAfter.Round(time.Millisecond))
}

// limiter has a token bucket per key, full at first. It stores only the time
// when a bucket will be full again, so a full bucket uses no memory. When there
// are too many buckets, the fullest is dropped, because that grants the fewest
// additional tokens.
type limiter struct {
	every time.Duration // time to refill one token
	burst int           // size of a bucket

	mu   sync.Mutex // held from reading a bucket to writing it
	full *shelf[string, struct{}]
}

// mostBuckets limits the memory that a flood of addresses uses: about 2 MB.
const mostBuckets = 10_000

func newLimiter(every time.Duration, burst int) *limiter {
	return &limiter{every: every, burst: burst, full: newShelf[string, struct{}](mostBuckets)}
}

// takeToken takes a token from the bucket and returns 0, or returns the time
// until one is available.
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

// clientKey returns the bucket key of a client address. Clients with the same
// IPv4 address share a bucket, and so do those in the same IPv6 /64 network,
// because one host may use all of its addresses. All clients without a valid
// address share one bucket.
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
