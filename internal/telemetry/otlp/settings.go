package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// settings are what OpenTelemetry's variables say about the export of traces.
type settings struct {
	url     string
	header  http.Header
	timeout time.Duration // of one request
	gzip    bool
	tls     *tls.Config
}

// Variables begin with general, or with ofTraces, which takes precedence.
const (
	general  = "OTEL_EXPORTER_OTLP_"
	ofTraces = general + "TRACES_"
)

// environment reads variables.
type environment func(string) string

// get returns the value of the variable with this end, and its whole name.
func (env environment) get(end string) (value, name string) {
	if value = strings.TrimSpace(env(ofTraces + end)); value != "" {
		return value, ofTraces + end
	}
	return strings.TrimSpace(env(general + end)), general + end
}

func read(env environment) (s settings, err error) {
	s = settings{header: http.Header{"User-Agent": {"bellcord"}}, timeout: 10 * time.Second}
	if s.url, err = env.endpoint(); err != nil {
		return s, err
	}
	if text, name := env.get("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return s, fmt.Errorf("%s: %q is not a number of milliseconds", name, text)
		}
		s.timeout = time.Duration(ms) * time.Millisecond
	}
	if err := env.headers(s.header); err != nil {
		return s, err
	}
	compression, _ := env.get("COMPRESSION")
	s.gzip = compression == "gzip"
	s.tls, err = env.certificates()
	return s, err
}

// endpoint returns the URL for traces. A general endpoint is a base URL; one of traces
// is complete.
func (env environment) endpoint() (string, error) {
	text, name := env.get("ENDPOINT")
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return "", fmt.Errorf("%s: expected a URL with http:// or https://", name) // without the value, which can have a password
	}
	switch {
	case name == general+"ENDPOINT":
		at.Path = path.Join("/", at.Path, "v1/traces")
	case at.Path == "":
		at.Path = "/"
	}
	at.RawPath = ""
	return at.String(), nil
}

// headers adds headers in the form of W3C baggage: name=value,name=value.
func (env environment) headers(to http.Header) error {
	text, variable := env.get("HEADERS")
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, isPair := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !isPair || name == "" || err != nil {
			return fmt.Errorf("%s: expected name=value,name=value", variable) // without the value, which can be a secret
		}
		to.Set(name, value)
	}
	return nil
}

// certificates returns the certificate authority to trust and the client's certificate,
// or nil if neither is set.
func (env environment) certificates() (*tls.Config, error) {
	var config tls.Config
	authority, name := env.get("CERTIFICATE")
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: %s contains no certificate", name, authority)
		}
	}
	own, name := env.get("CLIENT_CERTIFICATE")
	key, _ := env.get("CLIENT_KEY")
	if own != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(own, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if config.RootCAs == nil && config.Certificates == nil {
		return nil, nil
	}
	return &config, nil
}
