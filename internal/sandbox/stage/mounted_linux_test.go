package stage

import (
	"slices"
	"testing"
)

func TestMountPoints_NamesWithSpecialCharacters_AreDecoded(t *testing.T) {
	t.Parallel()
	info := "1 0 8:1 / / rw - ext4 /dev/x rw\n2 1 0:5 /sub /a\\040b\\134\\012 ro,nosuid shared:1 - tmpfs none rw\n3 1 0:5 / / rw - tmpfs none rw\n"
	if got, want := MountPoints([]byte(info)), []string{"/", "/a b\\\n", "/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckMounts_OneMoreThanExpected_ReturnsError(t *testing.T) {
	t.Parallel()
	if err := checkMounts([]string{"/nowhere"}); err == nil {
		t.Error("the mounts of this process were expected")
	}
}
