package otlp

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// variables returns an environment that contains only these variables.
func variables(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestEndpoint_GeneralOrOfTraces_FollowsTheSpecification(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ general, traces, want string }{
		{"http://host:4318", "", "http://host:4318/v1/traces"},
		{"https://host/base/", "", "https://host/base/v1/traces"},
		{"http://host", "http://other/exact", "http://other/exact"},
		{"", "http://other", "http://other/"},
	} {
		s, err := read(variables(general+"ENDPOINT", test.general, ofTraces+"ENDPOINT", test.traces))
		if err != nil || s.url != test.want {
			t.Errorf("%q, %q: %q, %v, want %q", test.general, test.traces, s.url, err, test.want)
		}
	}
}

func TestRead_InvalidVariable_IsNamedWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		general + "ENDPOINT": "user:SECRET@host:4318", ofTraces + "ENDPOINT": "grpc://host", general + "TIMEOUT": "10s", general + "CERTIFICATE": "/does/not/exist",
		ofTraces + "HEADERS": "authorization%3DSECRET",
	} {
		_, err := read(variables(name, value, general+"ENDPOINT", "http://host"))
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

var spans = []*tracepb.ResourceSpans{{SchemaUrl: "one"}}

func TestUploadTraces_SettingsInTheEnvironment_ReachTheCollector(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var sent tracepb.TracesData
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		zipped, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(zipped)
		if err != nil || proto.Unmarshal(body, &sent) != nil {
			t.Errorf("%q, %v", body, err)
		}
	}))
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := New(variables(general+"ENDPOINT", server.URL, general+"COMPRESSION", "gzip", general+"CERTIFICATE", authority,
		general+"HEADERS", "Authorization=Bearer%20x, x-team = ours,"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Authorization") != "Bearer x" || got.Header.Get("X-Team") != "ours" || got.Method+got.URL.Path != "POST/v1/traces" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
	if len(sent.ResourceSpans) != 1 || sent.ResourceSpans[0].SchemaUrl != "one" {
		t.Errorf("sent: %v", &sent)
	}
	other, err := New(variables(general+"ENDPOINT", server.URL))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.UploadTraces(t.Context(), spans); err == nil || !strings.Contains(err.Error(), x509.UnknownAuthorityError{}.Error()) {
		t.Errorf("without the authority: %v", err)
	}
}

// collector answers each request with the next of its replies.
type collector struct {
	replies []*http.Response
	at      []time.Duration
	began   time.Time
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	_, err := io.Copy(io.Discard, r.Body)
	c.at = append(c.at, time.Since(c.began))
	next := c.replies[0]
	c.replies = append(slices.Clone(c.replies[1:]), next)
	return &http.Response{StatusCode: next.StatusCode, Status: http.StatusText(next.StatusCode), Header: next.Header, Body: io.NopCloser(next.Body)}, err
}

func reply(status int, text string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// upload sends spans to a collector with these replies, and returns the times of the requests.
func upload(t *testing.T, replies ...*http.Response) (at []time.Duration, err error) {
	t.Helper()
	c, err := New(variables(general+"ENDPOINT", "http://host"))
	if err != nil {
		t.Fatal(err)
	}
	to := &collector{replies: replies, began: time.Now()}
	c.http.Transport = to
	err = c.UploadTraces(t.Context(), spans)
	return to.at, err
}

func TestUploadTraces_BusyCollector_IsAskedAgainForAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at, err := upload(t, reply(503, ""), reply(429, "", "Retry-After", "20"), reply(200, ""))
		if err != nil || !slices.Equal(at, []time.Duration{0, 5 * time.Second, 25 * time.Second}) {
			t.Errorf("requests at %v, %v", at, err)
		}
		at, err = upload(t, reply(503, "full"))
		if err == nil || !strings.Contains(err.Error(), "503") && !strings.Contains(err.Error(), "Service Unavailable") || at[len(at)-1] >= retryFor || len(at) < 4 {
			t.Errorf("requests at %v, %v", at, err)
		}
		if at, err = upload(t, reply(400, "no such field")); err == nil || len(at) != 1 || !strings.Contains(err.Error(), "no such field") {
			t.Errorf("requests at %v, %v", at, err)
		}
	})
}

func TestUploadTraces_Stop_EndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := New(variables(general+"ENDPOINT", "http://host"))
		if err != nil {
			t.Fatal(err)
		}
		c.http.Transport = &collector{replies: []*http.Response{reply(503, "")}, began: time.Now()}
		began := time.Now()
		time.AfterFunc(time.Second, func() { _ = c.Stop(t.Context()) })
		if err := c.UploadTraces(t.Context(), spans); err == nil || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestUploadTraces_PartialSuccess_IsAnError(t *testing.T) {
	t.Parallel()
	var partial []byte
	partial = protowire.AppendVarint(protowire.AppendTag(partial, fieldRejected, protowire.VarintType), 7)
	partial = protowire.AppendString(protowire.AppendTag(partial, fieldMessage, protowire.BytesType), "too old")
	body := protowire.AppendBytes(protowire.AppendTag(nil, fieldPartial, protowire.BytesType), partial)
	_, err := upload(t, reply(200, string(body), "Content-Type", "application/x-protobuf"))
	if err == nil || err.Error() != "the collector rejected 7 spans: too old" {
		t.Errorf("%v", err)
	}
	for _, fine := range [][]byte{nil, protowire.AppendBytes(protowire.AppendTag(nil, fieldPartial, protowire.BytesType), nil), bytes.Repeat([]byte{0xff}, 20)} {
		if _, err := upload(t, reply(200, string(fine), "Content-Type", "application/x-protobuf")); err != nil {
			t.Errorf("%x: %v", fine, err)
		}
	}
}
