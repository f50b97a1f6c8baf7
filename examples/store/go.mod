module github.com/bellcord/bellcord/examples/store

go 1.26.0

replace github.com/bellcord/bellcord => ../..

require github.com/bellcord/bellcord v0.0.0

require golang.org/x/sys v0.49.0 // indirect
