package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// drawn is the number of texts of each kind that draw prints.
const drawn = 5

// draw prints texts at random; the same seed and tree produce the same texts.
func draw(texts []text, seed uint64) {
	random := rand.New(rand.NewPCG(seed, seed))
	for _, k := range []kind{comment, message, paragraph, testName} {
		var of []text
		for _, t := range texts {
			if t.kind == k {
				of = append(of, t)
			}
		}
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		for _, t := range of[:min(drawn, len(of))] {
			fmt.Printf("%s\t%s\t%s\n", k, t.at, strings.Join(strings.Fields(t.text), " "))
		}
	}
}
