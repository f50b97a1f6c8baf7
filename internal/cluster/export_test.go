package cluster

import "time"

// Signer signs messages as a node does.
type Signer struct{ *sender }

// NewSigner returns a signer for the node with the given id.
func NewSigner(key []byte, node string, now func() time.Time) (Signer, error) {
	s, err := newSignature(key)
	if err != nil {
		return Signer{}, err
	}
	made, err := newSender(s, node, now)
	return Signer{made}, err
}

// Sign returns a message for a subject.
func (s Signer) Sign(subject string, payload []byte) []byte { return s.sign(subject, payload) }

// Answer returns a reply to a request.
func (s Signer) Answer(request, payload []byte) []byte {
	return s.signReply(signatureOf(request), payload)
}

// Open checks a message to a subject and returns its payload.
func (s Signer) Open(subject string, data []byte) ([]byte, error) {
	m, err := s.open(toSubject, subject, data)
	return m.payload, err
}

// OpenReply checks a reply to a request and returns its payload.
func (s Signer) OpenReply(request, data []byte) ([]byte, error) {
	m, err := s.open(toRequest, signatureOf(request), data)
	return m.payload, err
}

// Received records the numbers of a stream.
type Received struct{ received }

// Add records a number and reports whether it is new.
func (r *Received) Add(number uint64) bool { return r.recordNumber(number) }

// Memory is the number of recorded numbers of a stream.
const Memory = memory
