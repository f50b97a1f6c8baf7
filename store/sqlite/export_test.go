package sqlite

import "testing"

// UnclearPages returns the number of pages whose unused part is not zero.
func UnclearPages(t *testing.T, s *Store) int {
	t.Helper()
	pages, err := s.unclearPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(pages)
}
