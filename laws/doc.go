// Package laws holds the law suite: the laws of a stop, each as a test that
// names it by number and holds it against every cut point, the places where a
// stop can land (cuts_test.go is the table). Everything is real but the clock
// and the model: a real store, the real loop, the real provider speaking HTTP
// to the fake model, under testing/synctest, so that "at once" is an equality.
package laws
