module github.com/bellcord/bellcord

go 1.26.0
