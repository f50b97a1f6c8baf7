package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// Errors of a page's key and of its signatures.
var (
	// ErrPageKey means that a login names no usable key.
	ErrPageKey = errors.New("the key must be an uncompressed point of the curve P-256 in base64url without padding; the page's own script creates it")
	// ErrOldSignature means that a page has to sign another challenge. The rest of
	// its credentials was not checked.
	ErrOldSignature = errors.New("the signature in the header " + PageHeader + " is of an old challenge: get another one with GET /v1/challenge")
)

// challengeFor is how long a challenge can be used. Those of an earlier process are
// invalid at once, unless several nodes share a key.
const challengeFor = 10 * time.Minute

// signedContext precedes a challenge in the text that a page signs, so that the
// signature has no other meaning.
const signedContext = "bellcord page\x00"

var pageText = base64.RawURLEncoding.Strict()

// challenges creates and checks the texts that pages sign. A signature proves that the
// page has its key at the time of the challenge: what a page has sent to another server
// at the same address, while this one was down, proves nothing.
type challenges struct{ key []byte }

// newChallenges returns challenges that all nodes with the same key accept. Without a
// key, only this process accepts them.
func newChallenges(shared []byte) challenges {
	if len(shared) == 0 {
		shared = make([]byte, sha256.Size)
		_, _ = rand.Read(shared) // never fails: the program exits instead
	}
	mac := hmac.New(sha256.New, shared)
	mac.Write([]byte("page challenges"))
	return challenges{mac.Sum(nil)}
}

// Challenge returns a text that a page signs with its key, and how long it can be used.
func (d *Door) Challenge() (text string, valid time.Duration) {
	return d.challenges.at(time.Now()), challengeFor
}

func (c challenges) at(now time.Time) string {
	stamp := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli()))
	mac := hmac.New(sha256.New, c.key)
	mac.Write(stamp)
	return pageText.EncodeToString(mac.Sum(stamp))
}

// check returns an error unless the credential has a signature, by its own key, of a
// challenge that can still be used.
func (c challenges) check(shown credential) error {
	stamp, err := pageText.DecodeString(shown.challenge)
	if err != nil || len(stamp) < 8 {
		return errNoSignature
	}
	created := time.UnixMilli(int64(binary.BigEndian.Uint64(stamp)))
	if age := time.Since(created).Abs(); age >= challengeFor || !hmac.Equal([]byte(c.at(created)), []byte(shown.challenge)) {
		return ErrOldSignature
	}
	key, err := pageKey(shown.page)
	signature, badText := pageText.DecodeString(shown.signature)
	if err != nil || badText != nil || len(signature) != 64 {
		return errNoSignature
	}
	sum := sha256.Sum256([]byte(signedContext + shown.challenge))
	if !ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return errNoSignature
	}
	return nil
}

var errNoSignature = fmt.Errorf("%w: the header %s must be KEY.CHALLENGE.SIGNATURE; log in again with bellcord open", ErrBadCredentials, PageHeader)

// pageKey parses the public key of a page.
func pageKey(text string) (*ecdsa.PublicKey, error) {
	raw, err := pageText.DecodeString(text)
	if err != nil {
		return nil, ErrPageKey
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		return nil, ErrPageKey
	}
	return key, nil
}
