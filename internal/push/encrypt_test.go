package push

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The example of RFC 8291, section 5 and appendix A.
func TestSeal_ExampleOfRFC8291_HasTheBytesOfTheRFC(t *testing.T) {
	t.Parallel()
	once, err := ecdh.P256().NewPrivateKey(decoded(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	browser, err := ecdh.P256().NewPublicKey(decoded(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := seal([]byte("When I grow up, I want to be a watermelon"), 0, browser, decoded(t, "BTBZMqHH6r4Tts7J_aSIgg"), once, decoded(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := decoded(t, "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
	if !bytes.Equal(got, want) {
		t.Errorf("%x\ninstead of\n%x", got, want)
	}
}

func TestSeal_MessageAboveTheRecord_IsRefused(t *testing.T) {
	t.Parallel()
	key, err := ecdh.P256().NewPrivateKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	for size, good := range map[int]bool{recordSize - 17: true, recordSize - 16: false} {
		if _, err := seal(make([]byte, size), 0, key.PublicKey(), make([]byte, 16), key, make([]byte, 16)); (err == nil) != good {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// verified checks a vapid header with another implementation and returns the
// claims.
func verified(t *testing.T, header string) string {
	t.Helper()
	token, key, _ := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decoded(t, key))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	claims, err := signed.Verify(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(claims)
}

// The example of RFC 8292, section 2.4, shows that the check of these tests
// accepts what the RFC defines.
func TestAuthorization_Signature_VerifiesLikeTheExampleOfRFC8292(t *testing.T) {
	t.Parallel()
	example := "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
	if claims := verified(t, example); claims != `{"aud":"https://push.example.net","exp":1453523768,"sub":"mailto:push@example.com"}` {
		t.Error(claims)
	}
	stored, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := newSigner(stored)
	if err != nil {
		t.Fatal(err)
	}
	header, err := key.authorization(&url.URL{Scheme: "https", Host: "push.example.net:8443", Path: "/secret"}, time.Unix(1_000_000, 0))
	if err != nil || !strings.HasSuffix(header, ", k="+key.public) {
		t.Errorf("%s, %v", header, err)
	}
	if claims := verified(t, header); claims != `{"aud":"https://push.example.net:8443","exp":1043200,"sub":"`+contact+`"}` {
		t.Error(claims)
	}
}

func TestNewSigner_BadKey_IsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range [][]byte{nil, {1}, make([]byte, 32), bytes.Repeat([]byte{255}, 32)} {
		if _, err := newSigner(bad); err == nil {
			t.Errorf("%x was accepted", bad)
		}
	}
}

func TestMessage_LongestTitle_FitsThePadding(t *testing.T) {
	t.Parallel()
	for _, title := range []string{strings.Repeat("\u2028", 500), strings.Repeat("<", 500), strings.Repeat("😀", 500)} {
		m := Message{Kind: kindQuestion, Session: "0190a2b4-0000-7000-8000-000000000000", Turn: "0190a2b4-0000-7000-8000-000000000000", Title: title, End: "stopped"}
		if got := len(m.encode()); got > paddedSize {
			t.Errorf("%q: %d bytes", title[:4], got)
		}
	}
}
