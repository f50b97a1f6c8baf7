package tool

import "net/netip"

// Spill is spill, for the tests.
type Spill = spill

// NewSpill makes one.
func NewSpill(dir string) *Spill { return newSpill(dir) }

// Add is add.
func (s *spill) Add(piece string) { s.addPiece(piece) }

// Name is name.
func (s *spill) Name() string { return s.name() }

// Close is close.
func (s *spill) Close() error { return s.closeFile() }

// HTMLText is htmlText.
func HTMLText(page string) string { return htmlText(page) }

// Refuse is refuse.
func Refuse(addr netip.Addr, private bool) error { return refuse(addr, private) }
