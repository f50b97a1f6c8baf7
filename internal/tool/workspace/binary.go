package workspace

import (
	"bytes"
	"net/http"
	"strings"
)

// Peeked is the number of bytes that determine whether a file is text. A zero
// byte among them makes it binary, as in git.
const Peeked = 8000

// programs are formats that http.DetectContentType does not recognize.
var programs = []struct{ head, kind string }{
	{"\x7fELF", "an ELF program"},
	{"MZ", "a Windows program"},
	{"\xcf\xfa\xed\xfe", "a Mach-O program"},
	{"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"},
	{"\x00asm", "a WebAssembly program"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"\xff\xfe", "UTF-16 text; convert it with iconv to read it"},
	{"\xfe\xff", "UTF-16 text; convert it with iconv to read it"},
	{"", "binary data"},
}

// BinaryKind returns the kind of a file that begins with head, or "" if it is
// text. The name of the file does not matter.
func BinaryKind(head []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case kind == "application/pdf" || kind == "application/zip" || kind == "application/x-gzip",
		strings.HasPrefix(kind, "image/") && bytes.IndexFunc(head, notText) >= 0:
		return kind
	case bytes.IndexByte(head, 0) < 0:
		return ""
	case !strings.HasPrefix(kind, "text/") && kind != "application/octet-stream":
		return kind
	}
	for _, p := range programs {
		if bytes.HasPrefix(head, []byte(p.head)) {
			return p.kind
		}
	}
	return ""
}

// notText reports whether r cannot be part of a text. DetectContentType takes
// texts that begin with BM or GIF89a for images.
func notText(r rune) bool { return r == '\uFFFD' || r < ' ' && r != '\n' && r != '\r' && r != '\t' }
