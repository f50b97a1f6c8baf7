package tree

import "testing"

func TestState_FilesOfUnreadBytes_AreNotEqual(t *testing.T) {
	unread := State{Kind: File, Mode: 0o644, Size: 3}
	if same := unread; unread.Equal(same) {
		t.Error("two files whose bytes were not read are equal")
	}
	read := State{Kind: File, Mode: 0o644, Size: 3, Sum: Sum{1}, Hashed: true}
	if same := read; !read.Equal(same) {
		t.Error("a file is not equal to itself")
	}
	executable := read
	executable.Mode = 0o755
	if read.Equal(executable) {
		t.Error("files of different modes are equal")
	}
	if !(State{}).Equal(State{}) {
		t.Error("two absent paths are not equal")
	}
}
