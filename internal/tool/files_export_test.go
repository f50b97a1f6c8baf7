package tool

import "net/netip"

// Spill exports spill for the tests.
type Spill = spill

// NewSpill exports newSpill.
func NewSpill(dir string) *Spill { return newSpill(dir) }

// Add exports addPiece.
func (s *spill) Add(piece string) { s.addPiece(piece) }

// Name exports name.
func (s *spill) Name() string { return s.name() }

// Close exports closeFile.
func (s *spill) Close() error { return s.closeFile() }

// HTMLText exports htmlText.
func HTMLText(page string) string { return htmlText(page) }

// Refuse exports refuse.
func Refuse(addr netip.Addr, private bool) error { return refuse(addr, private) }
