package push

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/bellcord/bellcord/internal/publicnet"
	"github.com/bellcord/bellcord/internal/serverstore"
)

const (
	requestTime = 10 * time.Second // time limit of one request to a push service
	keptFor     = 24 * time.Hour   // how long a push service keeps a message for a browser that is offline
)

// retryDelays are the delays before the second and the third request for a
// message.
var retryDelays = []time.Duration{2 * time.Second, 15 * time.Second}

// ErrNotSent means that a push service did not accept a message.
var ErrNotSent = errors.New("the push service did not accept the message")

// errGone means that a subscription no longer exists.
var errGone = fmt.Errorf("%w: the browser is no longer subscribed", ErrNotSent)

// errLater means that another request may succeed.
var errLater = fmt.Errorf("%w for now", ErrNotSent)

// deliver sends a message, with retries. It returns errGone if the subscription
// no longer exists.
func (n *Notifier) deliver(ctx context.Context, to serverstore.PushSubscription, m Message) error {
	for tries := 0; ; tries++ {
		err := n.send(ctx, to, m)
		if !errors.Is(err, errLater) || tries == len(n.retries) {
			return err
		}
		select {
		case <-time.After(n.retries[tries]):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unreached describes why a push service was not reached, without an address: the
// person who subscribed chose the name, and must not learn how this network resolves
// it.
func unreached(err error) string {
	var lookup *net.DNSError
	var late net.Error
	switch {
	case errors.As(err, &lookup):
		return "the name of the push service cannot be resolved"
	case errors.As(err, &late) && late.Timeout():
		return "the push service did not respond in time"
	}
	return "cannot connect to the push service"
}

// send makes one request. Its errors contain neither the endpoint, which is a
// secret, nor an address.
func (n *Notifier) send(ctx context.Context, to serverstore.PushSubscription, m Message) error {
	ctx, done := context.WithTimeout(ctx, requestTime)
	defer done()
	request, err := n.request(ctx, to, m)
	if err != nil {
		return err
	}
	client := http.Client{
		Transport:     n.transport(ctx),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	if err != nil { // the person who subscribed does not see it
		n.Logger.Debug("a push service was not reached", "service", Service(to), "err", err)
	}
	switch {
	case errors.Is(err, publicnet.ErrNotPublic):
		return fmt.Errorf("%w: the address of the push service is %w", ErrNotSent, publicnet.ErrNotPublic)
	case err != nil:
		return fmt.Errorf("%w: %s", errLater, unreached(err))
	}
	_ = response.Body.Close() // its text is not used; the connection is closed with it
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return errGone
	case status == http.StatusTooManyRequests, status >= 500:
		return fmt.Errorf("%w: %s", errLater, response.Status)
	}
	return fmt.Errorf("%w: %s", ErrNotSent, response.Status)
}

func (n *Notifier) request(ctx context.Context, to serverstore.PushSubscription, m Message) (*http.Request, error) {
	key, err := n.signer(ctx)
	if err != nil {
		return nil, err
	}
	body, err := encrypt(m.encode(), to.PublicKey, to.Auth)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: the endpoint is not a URL", ErrNotSent)
	}
	signed, err := key.authorization(request.URL, time.Now())
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", signed)
	request.Header.Set("Content-Encoding", "aes128gcm")
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Ttl", strconv.Itoa(int(keptFor.Seconds())))
	request.Header.Set("Urgency", m.urgency())
	request.Header.Set("User-Agent", "bellcord")
	return request, nil
}

// transport returns a transport for one request. Its connections are closed when
// ctx ends. Proxies from the environment are ignored: the proxy's address would
// be checked instead of the push service's.
func (n *Notifier) transport(ctx context.Context) *http.Transport {
	dialer := publicnet.Dialer{Check: func(addr netip.Addr) error { return publicnet.Refuse(addr, n.AllowPrivate) }}
	return &http.Transport{
		Proxy: nil,
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return dialer.DialUntil(ctx, network, address)
		},
		TLSClientConfig:        &tls.Config{RootCAs: n.RootCAs, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 64 << 10,
	}
}
