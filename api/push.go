package api

import "time"

// Push is the response to GET /v1/push.
type Push struct {
	Key           string             `json:"key" doc:"the server's public key, as the applicationServerKey of PushManager.subscribe"`
	Subscriptions []PushSubscription `json:"subscriptions" nullable:"false" doc:"your browsers that receive push messages, the newest first"`
}

// NewPushSubscription is the body of POST /v1/push/subscriptions: a browser's
// PushSubscription, and the kinds of messages that it receives.
type NewPushSubscription struct {
	Endpoint  string   `json:"endpoint" maxLength:"2048" doc:"https URL at the push service of the browser's maker; only public addresses are used"`
	Keys      PushKeys `json:"keys"`
	Questions bool     `json:"questions,omitempty" doc:"send a message when one of your turns waits for an answer"`
	Ends      bool     `json:"ends,omitempty" doc:"send a message when one of your turns has ended"`
}

// PushKeys are the keys of a browser's PushSubscription, in unpadded base64url.
type PushKeys struct {
	P256DH string `json:"p256dh" maxLength:"100" doc:"the browser's public key"`
	Auth   string `json:"auth" maxLength:"40" doc:"the browser's authentication secret"`
}

// PushSubscription is a browser that receives push messages. Its endpoint and
// keys are not returned.
type PushSubscription struct {
	ID        string    `json:"id"`
	Service   string    `json:"service" doc:"host of the push service"`
	Questions bool      `json:"questions"`
	Ends      bool      `json:"ends"`
	Created   time.Time `json:"created"`
}
