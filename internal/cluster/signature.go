package cluster

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"
	"time"
)

// A signed message is
//
//	version 1 | signature 32 | stream 8 | number 8 | time 8 | length of node 1 | node | payload
//
// The signature is an HMAC-SHA256 of everything after it and of what the
// message is bound to. A notice, a request or a frame of events is bound to
// its subject, a reply to the signature of its request.
const (
	signatureVersion = 1
	signatureSize    = sha256.Size
	signatureEnd     = 1 + signatureSize
	envelopeSize     = signatureEnd + 3*8 + 1 // without the node
)

// LeastKey is the minimum length of a signing key, in bytes.
const LeastKey = 32

// Kinds of binding. Each is part of the signature, so that a signature of one
// kind is never valid for another.
const (
	toSubject = 's'
	toRequest = 'r'
)

var (
	errUnsigned  = errors.New("the message is not signed")
	errSignature = errors.New("invalid signature: different key, subject or payload")
)

// signature signs messages and checks signatures.
type signature struct {
	macs sync.Pool // contains hash.Hash values with the key
}

func newSignature(key []byte) (*signature, error) {
	if len(key) < LeastKey {
		return nil, fmt.Errorf("cluster: the signing key has %d bytes, but needs at least %d", len(key), LeastKey)
	}
	s := &signature{}
	s.macs.New = func() any { return hmac.New(sha256.New, key) }
	return s, nil
}

func (s *signature) sum(kind byte, boundTo string, text []byte, into []byte) []byte {
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	head := append(make([]byte, 0, 64), "bellcord bus 1"...)
	head = append(head, kind)
	head = binary.BigEndian.AppendUint32(head, uint32(len(boundTo)))
	mac.Write(append(head, boundTo...))
	mac.Write(text)
	return mac.Sum(into)
}

// sender numbers and signs the messages of one connection.
type sender struct {
	*signature
	node   string
	stream uint64 // random: after a restart, a node has a new stream
	number atomic.Uint64
	now    func() time.Time
}

func newSender(s *signature, node string, now func() time.Time) (*sender, error) {
	if len(node) > 255 {
		return nil, fmt.Errorf("cluster: the node's id has %d bytes, but the limit is 255", len(node))
	}
	var stream [8]byte
	rand.Read(stream[:]) //nolint:errcheck // never fails
	return &sender{signature: s, node: node, stream: binary.BigEndian.Uint64(stream[:]), now: now}, nil
}

// sign returns a message for a subject.
func (s *sender) sign(subject string, payload []byte) []byte {
	return s.seal(toSubject, subject, payload)
}

// signReply returns a reply to the request with the given signature.
func (s *sender) signReply(request string, payload []byte) []byte {
	return s.seal(toRequest, request, payload)
}

func (s *sender) seal(kind byte, boundTo string, payload []byte) []byte {
	data := make([]byte, signatureEnd, envelopeSize+len(s.node)+len(payload))
	data[0] = signatureVersion
	data = binary.BigEndian.AppendUint64(data, s.stream)
	data = binary.BigEndian.AppendUint64(data, s.number.Add(1))
	data = binary.BigEndian.AppendUint64(data, uint64(s.now().UnixNano()))
	data = append(data, byte(len(s.node)))
	data = append(append(data, s.node...), payload...)
	s.sum(kind, boundTo, data[signatureEnd:], data[1:1])
	return data
}

// signatureOf returns the signature of a signed message.
func signatureOf(data []byte) string { return string(data[1:signatureEnd]) }

// message is a message with a valid signature.
type message struct {
	node      string
	stream    uint64
	number    uint64
	at        time.Time
	signature string
	payload   []byte
}

// open checks a signature. It does not check the message's age.
func (s *signature) open(kind byte, boundTo string, data []byte) (message, error) {
	if len(data) < envelopeSize || data[0] != signatureVersion {
		return message{}, errUnsigned
	}
	rest := data[signatureEnd:]
	var right [signatureSize]byte
	if !hmac.Equal(s.sum(kind, boundTo, rest, right[:0]), data[1:signatureEnd]) {
		return message{}, errSignature
	}
	length := int(rest[24])
	if len(rest) < 25+length {
		return message{}, errUnsigned
	}
	return message{
		stream: binary.BigEndian.Uint64(rest), number: binary.BigEndian.Uint64(rest[8:]),
		at:   time.Unix(0, int64(binary.BigEndian.Uint64(rest[16:]))),
		node: string(rest[25 : 25+length]), payload: rest[25+length:], signature: signatureOf(data),
	}, nil
}
