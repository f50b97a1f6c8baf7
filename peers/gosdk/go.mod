module github.com/bellcord/bellcord/peers/gosdk

go 1.26.0

require github.com/coder/acp-go-sdk v0.13.5
