package netproxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
)

// anywhere accepts every address: the servers of the tests are on this machine.
func anywhere(netip.Addr) error { return nil }

// serve serves a policy until the test ends, and returns the proxy's URL.
func serve(t *testing.T, p netproxy.Policy) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- netproxy.Serve(ctx, l, p) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	proxy := &url.URL{Scheme: "http", Host: l.Addr().String()}
	if p.Password != "" {
		proxy.User = url.UserPassword("any", p.Password)
	}
	return proxy
}

// site starts a server that answers "METHOD HOST BODY", plain or with TLS.
func site(t *testing.T, tls bool) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for name := range r.Header {
			if strings.HasPrefix(name, "Proxy-") || name == "X-Hop" {
				t.Errorf("the host got the header %s", name)
			}
		}
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Host, body)
	}))
	if tls {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// get sends a request through the proxy, and returns the status and the body.
func get(t *testing.T, proxy *url.URL, s *httptest.Server, host, body string) (int, string, error) {
	t.Helper()
	transport, ok := s.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("no transport")
	}
	transport = transport.Clone()
	transport.Proxy = http.ProxyURL(proxy)
	defer transport.CloseIdleConnections()
	target := strings.Replace(s.URL, "127.0.0.1", host, 1)
	if transport.TLSClientConfig != nil {
		transport.TLSClientConfig.ServerName = "127.0.0.1"
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target+"/path", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Connection", "X-Hop")
	request.Header.Set("X-Hop", "1")
	if strings.HasPrefix(target, "https") {
		request.Header.Del("Connection")
		request.Header.Del("X-Hop")
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// hostPort returns a host with the port of a server, as in Domains.
func hostPort(s *httptest.Server, host string) string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return net.JoinHostPort(host, port)
}

func TestServe_AllowedHost_PassesRequestsOn(t *testing.T) {
	t.Parallel()
	for _, tls := range []bool{false, true} {
		t.Run(fmt.Sprintf("tls %v", tls), func(t *testing.T) {
			t.Parallel()
			s := site(t, tls)
			proxy := serve(t, netproxy.Policy{Domains: []string{hostPort(s, "127.0.0.1")}, Check: anywhere, Password: "secret"})
			body := strings.Repeat("long ", 200_000)
			code, text, err := get(t, proxy, s, "127.0.0.1", body)
			if want := "POST " + s.Listener.Addr().String() + " " + body; err != nil || code != http.StatusOK || text != want {
				t.Errorf("%d, %v: %d bytes, want %d", code, err, len(text), len(want))
			}
		})
	}
}

func TestServe_HostNotAllowed_IsRefusedWithReason(t *testing.T) {
	t.Parallel()
	s, secure := site(t, false), site(t, true)
	proxy := serve(t, netproxy.Policy{Domains: []string{"example.org"}, Check: anywhere})
	code, text, err := get(t, proxy, s, "localhost", "")
	if want := "network access to " + hostPort(s, "localhost") + " is not allowed"; err != nil || code != http.StatusForbidden || !strings.HasPrefix(text, want) {
		t.Errorf("%d %q, %v", code, text, err)
	}
	if _, _, err := get(t, proxy, secure, "localhost", ""); err == nil || !strings.Contains(err.Error(), "Refused by the Bellcord sandbox") {
		t.Errorf("CONNECT: %v", err)
	}
}

// A name in Domains may resolve to any address.
func TestServe_AllowedHostIsPrivate_IsRefused(t *testing.T) {
	t.Parallel()
	s, secure := site(t, false), site(t, true)
	proxy := serve(t, netproxy.Policy{Domains: []string{
		hostPort(s, "localhost"), hostPort(s, "127.0.0.1"), hostPort(secure, "localhost"), "169.254.169.254",
	}})
	for _, host := range []string{"localhost", "127.0.0.1"} {
		code, text, err := get(t, proxy, s, host, "")
		if err != nil || code != http.StatusForbidden || !strings.Contains(text, "not a public address") {
			t.Errorf("%s: %d %q, %v", host, code, text, err)
		}
	}
	if _, _, err := get(t, proxy, secure, "localhost", ""); err == nil || !strings.Contains(err.Error(), "Refused by the Bellcord sandbox") {
		t.Errorf("CONNECT: %v", err)
	}
	if answer := exchange(t, proxy, "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nHost: example.org\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
		t.Errorf("the metadata service: %q", answer)
	}
}

func TestServe_Password_IsRequired(t *testing.T) {
	t.Parallel()
	s := site(t, false)
	proxy := serve(t, netproxy.Policy{Domains: []string{hostPort(s, "127.0.0.1")}, Check: anywhere, Password: "secret"})
	for _, user := range []*url.Userinfo{nil, url.UserPassword("any", "wrong"), url.User("secret")} {
		one := *proxy
		one.User = user
		if code, text, err := get(t, &one, s, "127.0.0.1", ""); err != nil || code != http.StatusProxyAuthRequired {
			t.Errorf("%v: %d %q, %v", user, code, text, err)
		}
	}
	if code, _, err := get(t, proxy, s, "127.0.0.1", ""); err != nil || code != http.StatusOK {
		t.Errorf("with the password: %d, %v", code, err)
	}
}

func TestAsk_EachAnswer_AppliesAsDescribed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer netproxy.Answer
		err    error
		codes  []int
		asked  int64
	}{
		{"refused", netproxy.Refuse, nil, []int{403, 403, 403, 403}, 2},
		{"allowed once", netproxy.Once, nil, []int{200, 200, 200, 200}, 2},
		{"allowed for the session", netproxy.Session, nil, []int{200, 200, 200, 200}, 1},
		{"failed", netproxy.Session, errors.New("no one to ask"), []int{403, 403, 403, 403}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := site(t, false)
			var asked atomic.Int64
			p := netproxy.Policy{Check: anywhere, Memory: new(netproxy.Memory), Ask: func(_ context.Context, host string) (netproxy.Answer, error) {
				asked.Add(1)
				if host != hostPort(s, "localhost") {
					t.Errorf("asked about %q", host)
				}
				return test.answer, test.err
			}}
			first, second := serve(t, p), serve(t, p) // two commands of one session
			for i, proxy := range []*url.URL{first, first, second, second} {
				if code, text, err := get(t, proxy, s, "localhost", ""); err != nil || code != test.codes[i] {
					t.Errorf("request %d: %d %q, %v", i, code, text, err)
				}
			}
			if asked.Load() != test.asked {
				t.Errorf("asked %d times, want %d", asked.Load(), test.asked)
			}
		})
	}
}

func TestAsk_ConcurrentRequests_ShareOneQuestion(t *testing.T) {
	t.Parallel()
	s := site(t, false)
	var asked atomic.Int64
	asking, answer := make(chan struct{}, 100), make(chan struct{})
	proxy := serve(t, netproxy.Policy{Check: anywhere, Ask: func(ctx context.Context, _ string) (netproxy.Answer, error) {
		asked.Add(1)
		asking <- struct{}{}
		select {
		case <-answer:
			return netproxy.Session, nil // a request that comes late finds the answer in the memory
		case <-ctx.Done():
			return netproxy.Refuse, ctx.Err()
		}
	}})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if code, text, err := get(t, proxy, s, "localhost", ""); err != nil || code != http.StatusOK {
				t.Errorf("%d %q, %v", code, text, err)
			}
		})
	}
	<-asking
	close(answer)
	all.Wait()
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// The request that asks leaves; another one waits for the same answer.
func TestAsk_ClientLeaves_QuestionIsWithdrawnAndAskedAgain(t *testing.T) {
	t.Parallel()
	s := site(t, false)
	var asked atomic.Int64
	first, withdrawn := make(chan struct{}), make(chan struct{})
	proxy := serve(t, netproxy.Policy{Check: anywhere, Ask: func(ctx context.Context, _ string) (netproxy.Answer, error) {
		if asked.Add(1) > 1 {
			return netproxy.Once, nil
		}
		close(first)
		<-ctx.Done()
		close(withdrawn)
		return netproxy.Refuse, ctx.Err()
	}})
	conn, err := net.Dial("tcp", proxy.Host)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\n\r\n", hostPort(s, "localhost"))
	<-first
	var other sync.WaitGroup
	other.Go(func() {
		if code, text, err := get(t, proxy, s, "localhost", ""); err != nil || code != http.StatusOK {
			t.Errorf("%d %q, %v", code, text, err)
		}
	})
	_ = conn.Close()
	<-withdrawn
	other.Wait()
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestServe_Curl_UsesProxy(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	s, secure := site(t, false), site(t, true)
	proxy := serve(t, netproxy.Policy{Domains: []string{hostPort(s, "localhost"), hostPort(secure, "localhost")}, Check: anywhere, Password: "p"})
	for _, target := range []string{"http://" + hostPort(s, "localhost"), "https://" + hostPort(secure, "localhost")} {
		out, err := exec.CommandContext(t.Context(), curl, "-sSk", "--noproxy", "", "-x", proxy.String(), "-d", "body", target).CombinedOutput()
		if _, host, _ := strings.Cut(target, "://"); err != nil || string(out) != "POST "+host+" body" {
			t.Errorf("%s: %v, %s", target, err, out)
		}
	}
	out, _ := exec.CommandContext(t.Context(), curl, "-sS", "--noproxy", "", "-x", proxy.String(), "http://example.org").CombinedOutput()
	if !strings.HasPrefix(string(out), "network access to example.org is not allowed") {
		t.Errorf("%s", out)
	}
}

func TestServe_TunnelIsHalfClosed_OtherDirectionContinues(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() { // answers after the end of the input
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		text, _ := io.ReadAll(conn)
		fmt.Fprintf(conn, "got %s", text)
	}()
	proxy := serve(t, netproxy.Policy{Domains: []string{l.Addr().String()}, Check: anywhere})
	conn, err := net.Dial("tcp", proxy.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\n\r\nearly", l.Addr())
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 200 ") {
		t.Fatalf("%q, %v", line, err)
	}
	fmt.Fprint(conn, " late")
	_ = conn.(*net.TCPConn).CloseWrite()
	rest, err := io.ReadAll(in)
	if err != nil || string(rest) != "\r\ngot early late" {
		t.Errorf("%q, %v", rest, err)
	}
}

// exchange sends raw bytes to the proxy and returns all that it answers.
func exchange(t *testing.T, proxy *url.URL, bytes string) string {
	t.Helper()
	conn, err := net.Dial("tcp", proxy.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, bytes); err != nil {
		t.Error(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(answer)
}

func TestAsk_TooManyHostsThatNobodyAllows_OthersAreRefusedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	s := site(t, false)
	var asked, flooded atomic.Int64
	p := netproxy.Policy{Check: anywhere, Memory: new(netproxy.Memory), Flooded: func() { flooded.Add(1) }, Ask: func(_ context.Context, host string) (netproxy.Answer, error) {
		asked.Add(1)
		if strings.HasPrefix(host, "localhost") {
			return netproxy.Session, nil
		}
		return netproxy.Refuse, nil
	}}
	proxy, other := serve(t, p), serve(t, p)
	if code, text, err := get(t, other, s, "localhost", ""); err != nil || code != http.StatusOK { // allowed for the session
		t.Fatalf("%d %q, %v", code, text, err)
	}
	const hosts = 3 * netproxy.MostRefused
	for i := range hosts {
		if code, text, err := get(t, proxy, s, fmt.Sprintf("host%d.example", i), ""); err != nil || code != http.StatusForbidden {
			t.Errorf("host %d: %d %q, %v", i, code, text, err)
		}
	}
	if asked.Load() != 1+netproxy.MostRefused || flooded.Load() != hosts-netproxy.MostRefused {
		t.Errorf("asked %d times, %d hosts refused without a question", asked.Load(), flooded.Load())
	}
	if code, text, err := get(t, proxy, s, "localhost", ""); err != nil || code != http.StatusOK {
		t.Errorf("a host that was allowed for the session: %d %q, %v", code, text, err)
	}
	if code, _, err := get(t, other, s, "host0.example", ""); err != nil || code != http.StatusForbidden || asked.Load() != 2+netproxy.MostRefused {
		t.Errorf("another command: %d, asked %d times, %v", code, asked.Load(), err)
	}
}
