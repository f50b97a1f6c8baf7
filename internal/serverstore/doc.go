// Package serverstore is what a server keeps in its store beside turns: tokens, links to
// shared conversations, push subscriptions, and the text that a search reads. The stores
// of packages sqlite and postgres implement its interfaces. It is no part of the public
// surface: a program with a hub of its own needs none of it.
package serverstore
