package stage

import (
	"reflect"
	"testing"
)

func TestPlan_Encoded_DecodesToTheSame(t *testing.T) {
	t.Parallel()
	p := &Plan{
		Steps: []Step{
			{Kind: Write, Path: "/a\x00b", Dev: 1<<64 - 1, Ino: 7},
			{Kind: Private, Path: "/tmp", Size: 1 << 40},
			{Kind: Bind, Path: "/tmp", Source: "/b"},
		},
		Mounts:  []string{"/", "/a b"},
		Network: true, ListenPort: 1, SocketFD: 2, ExtraFD: 3, LifeFD: 4, StatusFD: 5,
		Rules: []Rule{{Path: "/", Dev: 3, Ino: 1<<64 - 1, Access: 1<<63 | 7}}, ConnectPort: 65535, RestrictTCP: true, Scope: true, Debuggers: true, Sockets: TCPSockets, Check: "x",
	}
	b := p.Encode()
	got, err := Decode(b)
	if err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v, %v; want %+v", got, err, p)
	}
	for n := range len(b) {
		if _, err := Decode(b[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are a plan", n, len(b))
		}
	}
	if _, err := Decode(append(b, 0)); err == nil {
		t.Error("a plan with another byte is a plan")
	}
}
