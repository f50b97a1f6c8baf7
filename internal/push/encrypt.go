package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

const (
	recordSize = 4096 // the largest message that every push service accepts
	saltSize   = 16
	authSize   = 16
	// paddedSize is the length of every message before encryption, so that the
	// length of a title is not visible.
	paddedSize = 1024
)

// encrypt returns a message as the body of a request to a push service: only the
// browser with the keys can read it (RFC 8291, with the coding aes128gcm of RFC
// 8188).
func encrypt(message, browserKey, auth []byte) ([]byte, error) {
	browser, err := ecdh.P256().NewPublicKey(browserKey)
	if err != nil {
		return nil, err
	}
	once, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	return seal(message, max(0, paddedSize-len(message)), browser, auth, once, salt)
}

// seal encrypts a message and padding zeros with a key that is used once.
func seal(message []byte, padding int, browser *ecdh.PublicKey, auth []byte, once *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(message)+padding+1+aes.BlockSize > recordSize {
		return nil, fmt.Errorf("a push message of %d bytes is too long", len(message))
	}
	shared, err := once.ECDH(browser)
	if err != nil {
		return nil, err
	}
	sender := once.PublicKey().Bytes()
	secret, err := hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(browser.Bytes())+string(sender), sha256.Size)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	body := append([]byte{}, salt...)
	body = binary.BigEndian.AppendUint32(body, recordSize)
	body = append(body, byte(len(sender)))
	body = append(body, sender...)
	record := append(append([]byte{}, message...), 2) // 2 ends the text of the last record
	return gcm.Seal(body, nonce, append(record, make([]byte, padding)...), nil), nil
}
