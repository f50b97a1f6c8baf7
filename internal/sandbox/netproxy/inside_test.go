package netproxy

import "testing"

func TestPolicy_Domains_AllowHostsAndPorts(t *testing.T) {
	t.Parallel()
	p := Policy{Domains: []string{"Example.org", "*.example.net", "build.example.com:8080", "192.0.2.1", "2001:db8::1", "[2001:db8::2]:8443"}}
	for _, test := range []struct {
		host, port string
		want       bool
	}{
		{"example.org", "443", true},
		{"example.org.", "80", true},
		{"EXAMPLE.org", "22", true},
		{"example.org", "9418", true},
		{"example.org", "25", false},
		{"www.example.org", "443", false},
		{"badexample.org", "443", false},
		{"a.example.net", "443", true},
		{"b.a.example.net", "443", true},
		{"example.net", "443", false},
		{"badexample.net", "443", false},
		{"build.example.com", "8080", true},
		{"build.example.com", "443", false},
		{"192.0.2.1", "443", true},
		{"::ffff:192.0.2.1", "443", true},
		{"192.0.2.2", "443", false},
		{"2001:db8:0::1", "443", true},
		{"2001:db8::2", "8443", true},
		{"2001:db8::2", "443", false},
	} {
		host, err := plainHost(test.host)
		if got := p.lists(host, test.port); got != test.want || err != nil {
			t.Errorf("%s port %s: %v, %v; want %v", test.host, test.port, got, err, test.want)
		}
	}
}
