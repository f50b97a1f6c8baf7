#!/usr/bin/env bash
# Takes the pictures of docs/telegram.md with a real server, a fake model and the page
# of a fake Telegram. The server and the model are frozen for each picture, so that a
# slow machine takes the same ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bellcord=${BELLCORD_BIN:-bin/bellcord}
out=$PWD/docs/pictures
dir=$(mktemp -d)
started=()
leave() {
	for pid in "${started[@]}"; do kill -CONT "$pid" 2>/dev/null || true; kill "$pid" 2>/dev/null || true; done
	wait
	rm -rf "$dir"
}
trap leave EXIT

# start NAME COMMAND… runs a server; its output goes to a file.
start() {
	local name=$1
	shift
	"$@" >"$dir/$name" 2>&1 &
	started+=($!)
	last=$!
}
# address NAME waits for the URL that a server prints.
address() {
	local found
	for _ in $(seq 600); do
		found=$(grep -om1 'http://127\.0\.0\.1:[0-9]*[a-z0-9/]*' "$dir/$1" || true)
		[ -n "$found" ] && echo "$found" && return
		sleep 0.1
	done
	echo "$1 does not start: $(cat "$dir/$1")" >&2
	return 1
}

start model "$bellcord" dev fakemodel --addr 127.0.0.1:0 --pace 120ms --answer docs/pictures/bells.md
model_pid=$last
go build -o "$dir/fakegram" ./internal/testkit/cmd/fakegram
start gram "$dir/fakegram" --addr 127.0.0.1:0
model=$(address model)
gram=$(address gram)

mkdir "$dir/tower"
printf '#!/bin/sh\ntrap "" TERM INT\necho "the tenor swings"\nsleep 20\n' >"$dir/tower/ring"
chmod +x "$dir/tower/ring"
cat >"$dir/config.toml" <<CONFIG
model = "openai/fake"
mode = "ask"
[permissions]
allow = ["shell(./ring)"]
[provider.openai]
base_url = "$model"
api_key = "none"
[telegram]
token = "1:TEST"
api_url = "$gram"
dir = "$dir/tower"
[telegram.users]
anna = 1001
ben = 1002
CONFIG
start serve "$bellcord" serve --addr 127.0.0.1:0 --config "$dir/config.toml" --data-dir "$dir/data"
serve=$last

# The fake Telegram has two users. chat prints the chat of one of them, as the page
# shows it.
user=1001
say() { jq -n --arg text "$1" "{chat: $user, user: $user, text: \$text}" | curl -sSf "$gram/say" -H 'Content-Type: application/json' -d @-; }
chat() { head -n 1 < <(curl -sN "$gram/live" 2>/dev/null) | sed 's/^data: //' | jq -c ".chats[] | select(.info.id == $user)"; }
# await FILTER waits until a jq filter matches the chat.
await() {
	for _ in $(seq 900); do
		if chat | jq -e "$1" >/dev/null; then return; fi
		sleep 0.1
	done
	echo "no match in 90 s: $1; $(chat)" >&2
	return 1
}
# picture NAME [TEXT] freezes the bot and its model, takes a picture of the page, and
# sends a message before both continue.
picture() {
	kill -STOP "$serve" "$model_pid"
	browse "$out/telegram-$1.png" || browse "$out/telegram-$1.png"
	if [ $# -gt 1 ]; then say "$2"; fi
	kill -CONT "$model_pid" "$serve"
	if command -v optipng >/dev/null; then optipng -quiet -o2 "$out/telegram-$1.png"; fi
}
# browse FILE writes a picture of the chat. The page never finishes loading, so the
# browser is ended when it reports that it has written the file, or after 30 s.
browse() {
	start browser chromium --headless=new --no-sandbox --hide-scrollbars --disable-gpu --user-data-dir="$dir/profile" \
		--window-size=420,760 --force-device-scale-factor=1.5 --timeout=6000 --screenshot="$1" "$gram/#$user/$user"
	for _ in $(seq 300); do
		if grep -qs 'written to file' "$dir/browser"; then break; fi
		sleep 0.1
	done
	kill "$last" 2>/dev/null || true
	wait "$last" || true
	unset 'started[-1]' # its id can belong to another process now
	grep -qs 'written to file' "$dir/browser"
}

say "What is change ringing?"
await '.drafts[0].text // "" | contains("a peal")'
picture streaming /stop
await '.messages[-1].text | contains("⏹ Stopped")'
picture stopped

say 'Note the order. [tool write_file {"path":"order.txt","content":"1 2 3 4\n2 1 4 3\n"}]'
await '.messages[-1].text | contains("order.txt") and (startswith("Note") | not)'
picture question /stop
await '.messages[-1].text | contains("⏹ Stopped")'

user=1002
say 'Ring the tenor. [tool shell {"command":"./ring"}]'
await '.drafts[0].text // "" | contains("ring")'
say "/stop"
await '.drafts[0].text // "" | contains("⏹ stopping…")'
picture stopping
await '.messages[-1].text | contains("⏹ Stopped")'

say "What is change ringing?"
await '.drafts[0].text // "" | contains("peal")'
say "/clear"
await '.messages[-1].text | contains("Cleared")'
picture cleared
