package server

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCgroupMemory_EveryLayout_ReturnsTheSmallestLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		groups string
		files  map[string]string
		want   int64
	}{
		"version 2":                       {"0::/a/b\n", map[string]string{"a/b/memory.max": "268435456\n", "a/memory.max": "max\n"}, 268435456},
		"version 2, the parent is less":   {"0::/a/b\n", map[string]string{"a/b/memory.max": "500\n", "a/memory.max": "300\n"}, 300},
		"version 2, no limit":             {"0::/a\n", map[string]string{"a/memory.max": "max\n"}, 0},
		"version 1":                       {"5:cpu:/x\n4:memory:/c\n", map[string]string{"memory/c/memory.limit_in_bytes": "1000\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"}, 1000},
		"version 1, in a container":       {"4:cpu,memory:/docker/abc\n", map[string]string{"memory/memory.limit_in_bytes": "2000\n"}, 2000},
		"version 1, no limit":             {"4:memory:/\n", map[string]string{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"both":                            {"4:memory:/\n0::/u\n", map[string]string{"memory/memory.limit_in_bytes": "700\n", "u/memory.max": "max"}, 700},
		"nothing that can be read":        {"0::/a\ngarbage\n", nil, 0},
		"a path that leads out of itself": {"0::/../../a\n", map[string]string{"a/memory.max": "100"}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, text := range test.files {
				at := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := cgroupMemory(root, test.groups); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
