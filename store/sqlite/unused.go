package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
)

const (
	// unusedAtOnce is the number of pages that one transaction overwrites, so that it
	// does not block other commits for long.
	unusedAtOnce = 64
	// mostPages limits the files that are cleared. The first byte of a page with the
	// rest of a long row is zero below it, which is the type of no other page.
	mostPages = 1 << 24
)

// clearUnused overwrites the part of each page that SQLite does not use. A page that is
// split keeps a copy of the rows that move to another page. If these are deleted
// later, secure_delete overwrites only the row itself.
func (s *Store) clearUnused(ctx context.Context) error {
	pages, err := s.unclearPages(ctx)
	for len(pages) > 0 && err == nil {
		if err = ctx.Err(); err == nil {
			n := min(len(pages), unusedAtOnce)
			err = s.transact(ctx, func(t tx) error { return t.clearPages(pages[:n]) })
			pages = pages[n:]
		}
	}
	return err
}

// unclearPages returns the numbers of the pages whose unused part is not zero.
func (s *Store) unclearPages(ctx context.Context) (pages []int64, err error) {
	var autoVacuum, count int64
	err = errors.Join(
		s.readers.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&autoVacuum),
		s.readers.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&count),
	)
	if err != nil || autoVacuum != 0 || count >= mostPages { // has pages of other types
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, `SELECT pgno, data FROM sqlite_dbpage`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var number int64
	var page []byte
	for rows.Next() {
		if err := rows.Scan(&number, &page); err != nil {
			return nil, err
		}
		if !isClear(unused(page, number)) {
			pages = append(pages, number)
		}
	}
	return pages, rows.Err()
}

// clearPages overwrites the unused parts of pages. Another connection may have changed
// a page since its number was found.
func (t tx) clearPages(numbers []int64) error {
	for _, number := range numbers {
		var page []byte
		if err := t.row(`SELECT data FROM sqlite_dbpage WHERE pgno = $1`, number).Scan(&page); err != nil {
			return err
		}
		part := unused(page, number)
		if isClear(part) {
			continue
		}
		clear(part)
		if err := t.exec(`UPDATE sqlite_dbpage SET data = $1 WHERE pgno = $2`, page, number); err != nil {
			return err
		}
	}
	return nil
}

// unused returns the part of a page with rows or keys that is between the list of its
// cells and the cells. It returns nil for other pages. See "B-tree Pages" in SQLite's
// description of its file format.
func unused(page []byte, number int64) []byte {
	at := 0
	if number == 1 {
		at = 100 // after the header of the file
	}
	header := 8
	switch page[at] {
	case 2, 5: // with children
		header = 12
	case 10, 13:
	default:
		return nil
	}
	begin := at + header + 2*int(binary.BigEndian.Uint16(page[at+3:]))
	end := int(binary.BigEndian.Uint16(page[at+5:])) // of a page of 65,536 bytes, 0
	if begin > end || end > len(page) {
		return nil
	}
	return page[begin:end]
}

func isClear(part []byte) bool { return len(bytes.TrimLeft(part, "\x00")) == 0 }
