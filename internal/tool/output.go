package tool

import (
	"fmt"
	"os"
	"strings"
)

const (
	mostShown = 32 << 10 // bytes each of head and tail that a spill keeps in memory
	mostSpilt = 64 << 20 // bytes of an output that a spill keeps on disk
)

// spill takes an output of any length. A short one is in memory; of a long one
// its head and tail are, and the complete output is in a file, up to a bound. It is not
// for use by several goroutines at once.
type spill struct {
	dir        string
	head, tail []byte
	total      int64

	file *os.File
	path string
	kept int64 // bytes in the file
	err  error // why not all of them are
}

// newSpill makes a spill whose file, should it need one, is made in dir, which is
// made then. With no dir it keeps head and tail only.
func newSpill(dir string) *spill { return &spill{dir: dir} }

// addPiece adds a piece of the output. If the disk fails, the file is
// incomplete and the output is not; the last note says so.
func (s *spill) addPiece(piece string) {
	if s.total+int64(len(piece)) > 2*mostShown {
		s.save(piece)
	}
	s.total += int64(len(piece))
	if room := min(mostShown-len(s.head), len(piece)); room > 0 {
		s.head = append(s.head, piece[:room]...)
		piece = piece[room:]
	}
	if over := len(piece) - mostShown; over > 0 {
		s.tail, piece = s.tail[:0], piece[over:]
	}
	s.tail = append(s.tail, piece...)
	if over := len(s.tail) - mostShown; over > mostShown { // seldom, so that it costs little
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
}

// save writes to the file; the first time also what came before, which is still
// in memory as a whole.
func (s *spill) save(piece string) {
	if s.dir == "" || s.err != nil {
		return
	}
	if s.file == nil {
		if s.err = os.MkdirAll(s.dir, 0o700); s.err != nil {
			return
		}
		if s.file, s.err = os.CreateTemp(s.dir, "output-*.txt"); s.err != nil { // CreateTemp makes it 0600
			return
		}
		s.path = s.file.Name()
		piece = string(s.head) + string(s.tail) + piece
	}
	room := min(mostSpilt-s.kept, int64(len(piece)))
	n, err := s.file.WriteString(piece[:room])
	s.kept += int64(n)
	s.err = err
}

// name is the file's, "" when there is none. Who made the spill removes it.
func (s *spill) name() string { return s.path }

// closeFile closes the file, which stays.
func (s *spill) closeFile() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	s.dir = "" // what comes now is not kept
	return err
}

// String returns the output, or its head and tail and where the whole is.
func (s *spill) String() string {
	tail := s.tail[max(0, len(s.tail)-mostShown):]
	cut := s.total - int64(len(s.head)+len(tail))
	if cut == 0 {
		return strings.ToValidUTF8(string(s.head)+string(tail), "\uFFFD")
	}
	text := strings.ToValidUTF8(fmt.Sprintf("%s\n[… %d bytes omitted …]\n%s", s.head, cut, tail), "\uFFFD")
	return fmt.Sprintf("%s\n[%d bytes in total; %s]", text, s.total, s.where())
}

func (s *spill) where() string {
	switch {
	case s.path == "" && s.err != nil:
		return fmt.Sprintf("the rest was not saved: %v", s.err)
	case s.path == "":
		return "the rest was not saved"
	case s.err != nil:
		return fmt.Sprintf("the first %d are in %s; saving the rest failed: %v", s.kept, s.path, s.err)
	case s.kept < s.total:
		return fmt.Sprintf("the first %d are in %s", s.kept, s.path)
	}
	return "the complete output is in " + s.path
}
