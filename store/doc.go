// Package store is the contract between the hub and the store that keeps its sessions,
// turns and events. A program that uses a hub needs this package only for queries. A
// program with a store of its own implements Store, and tests it with package storetest.
// The packages sqlite and postgres are the stores of Bellcord.
package store
