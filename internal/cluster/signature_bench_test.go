package cluster_test

import (
	"fmt"
	"testing"
	"time"
)

// A message is signed once and checked by every node that receives it.
func BenchmarkSignature(b *testing.B) {
	for _, size := range []int{300, 4 << 10, 256 << 10} {
		b.Run(fmt.Sprintf("%d bytes", size), func(b *testing.B) {
			signs := newSigner(b, bubbleKey, "01a1df39-c6f7-7288-a7da-e4ad95e419b5", time.Now)
			payload := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := signs.Open("bellcord.all", signs.Sign("bellcord.all", payload)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
