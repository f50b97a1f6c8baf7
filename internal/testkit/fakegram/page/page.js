// The page shows what the server says, and nothing of its own: every event is
// the whole picture, and parts that are still the same are left alone.
import { rendered } from "/text.js";

const $ = (id) => document.getElementById(id);
const make = (tag, className, ...inside) => {
  const el = document.createElement(tag);
  if (className) el.className = className;
  el.append(...inside);
  return el;
};
let picture = null;
let seat = location.hash.slice(1); // "chat/person"
let shown = new Map(); // by key: what is on the screen, and what it was made of
const toasted = new Set();

const keyOf = (s) => `${s.info.id}/${s.as}`;
const here = () => picture.chats.find((s) => keyOf(s) === seat) ?? picture.chats[0];
const person = (id) => picture.people.find((p) => p.id === id);

async function act(what, body) {
  const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) toast(await answer.text());
}

function toast(words) {
  $("toast").textContent = words;
  $("toast").hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { $("toast").hidden = true; }, 3500);
}

function face(el, name, id) {
  el.textContent = name.slice(0, 1);
  el.dataset.hue = id < 0 ? (2 - id) % 5 : id % 5; // a group differs from its first member
}

function drawSeats() {
  $("seats").replaceChildren(...picture.chats.map((s) => {
    const as = person(s.as);
    const group = s.info.type !== "private";
    const dot = make("span", "face small");
    face(dot, group ? s.info.title : as.first_name, s.info.id);
    const b = make("button", "", dot, group ? `${s.info.title}, ${as.first_name}` : as.first_name);
    b.setAttribute("aria-pressed", String(s === here()));
    b.addEventListener("click", () => {
      seat = location.hash = keyOf(s);
      shown = new Map();
      $("talk").replaceChildren();
      draw();
    });
    return b;
  }));
}

function drawHeader(s) {
  const group = s.info.type !== "private";
  const name = group ? s.info.title : picture.bot.first_name;
  $("title").textContent = name;
  face($("face"), name, group ? s.info.id : 2);
  const doing = s.action ? `${s.action.replace("_", " ")}…` : "";
  $("status").textContent = doing || (s.blocked ? "blocked" : group ? "group · you are " + person(s.as).first_name : "bot · you are " + person(s.as).first_name);
  $("status").classList.toggle("busy", Boolean(doing));
}

function drawVerdict() {
  const wrong = picture.violations;
  $("strip").classList.toggle("bad", wrong.length > 0);
  $("verdict").textContent = wrong.length
    ? `${wrong.length} violation${wrong.length > 1 ? "s" : ""} · ${wrong.at(-1).words}`
    : `No violations in ${picture.calls} call${picture.calls === 1 ? "" : "s"}`;
  $("violations").replaceChildren(...wrong.map((v) => make("li", "", make("time", "", new Date(v.at).toLocaleTimeString()), " " + v.words)));
}

function keyboard(m, s) {
  return make("div", "keys", ...m.reply_markup.inline_keyboard.map((row) => make("div", "row", ...row.map((b) => {
    const el = make("button", b.style ?? "", b.text);
    el.addEventListener("click", () => {
      if (b.callback_data) act("/press", { chat: s.info.id, user: s.as, message: m.message_id, text: b.callback_data });
      else if (b.url) open(b.url, "_blank", "noopener");
    });
    return el;
  }))));
}

function attachment(m) {
  if (m.photo) {
    const img = make("img", "photo");
    img.src = `/files/${encodeURIComponent(m.photo[0].file_id)}`;
    img.alt = m.caption || "photo";
    return [img];
  }
  if (!m.document) return [];
  const a = make("a", "file", make("span", "clip", "⬇"), make("span", "", make("b", "", m.document.file_name || "file"), make("small", "", `${m.document.file_size} bytes`)));
  a.href = `/files/${encodeURIComponent(m.document.file_id)}`;
  return [a];
}

function bubble(m, s) {
  const mine = m.from.id === s.as;
  const out = make("div", mine ? "line mine" : "line");
  const b = make("div", "bubble");
  if (!mine && s.info.type !== "private") b.append(make("span", "name", m.from.first_name));
  if (m.reply_to_message) b.append(make("div", "quote", make("b", "", m.reply_to_message.from.first_name), (m.reply_to_message.text ?? "file").slice(0, 80)));
  b.append(...attachment(m), make("span", "text", rendered(m.text ?? m.caption ?? "", m.entities ?? m.caption_entities)));
  const at = new Date(m.date * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  b.append(make("time", "", (m.edit_date ? "edited " : "") + at));
  out.append(b);
  if (m.reply_markup) out.append(keyboard(m, s));
  return out;
}

function draftBubble(d, s, before) {
  const out = make("div", "line draft" + (d.stopped ? " stopped" : ""));
  const text = make("span", d.thinking ? "text thinking" : "text");
  const old = before?.text ?? "";
  if (!d.entities && !d.thinking && old && d.text.startsWith(old)) text.append(old, make("span", "fresh", d.text.slice(old.length)));
  else text.append(rendered(d.text, d.entities));
  out.append(make("div", "bubble", text));
  if (d.can_stop) {
    const stop = make("button", "stop", make("i", ""), "Stop");
    stop.addEventListener("click", () => act("/stop", { chat: s.info.id, thread: d.thread ?? 0 }));
    out.append(stop);
  }
  return out;
}

function drawTalk(s) {
  const talk = $("talk");
  const atEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 60;
  const next = new Map();
  const put = (key, data, build) => {
    const was = shown.get(key);
    const made = JSON.stringify(data);
    const el = was?.made === made ? was.el : build(was?.data);
    next.set(key, { made, data, el });
    return el;
  };
  const lines = s.messages.map((m) => put(`m${m.message_id}`, m, () => bubble(m, s)));
  lines.push(...s.drafts.map((d) => put(`d${d.thread ?? 0}`, d, (before) => draftBubble(d, s, before?.id === d.id ? before : null))));
  if (!lines.length) lines.push(put("empty", 0, () => make("p", "empty", "No messages yet.")));
  shown = next;
  if (lines.length !== talk.children.length || lines.some((el, i) => talk.children[i] !== el)) talk.replaceChildren(...lines);
  if (atEnd) talk.scrollTop = talk.scrollHeight;
}

function drawToasts(s) {
  for (const a of picture.answers) {
    if (a.user !== s.as || toasted.has(a.id)) continue;
    toasted.add(a.id);
    if (a.text) toast(a.text);
  }
}

function draw() {
  const s = here();
  if (!s) return;
  drawSeats();
  drawHeader(s);
  drawVerdict();
  drawTalk(s);
  drawToasts(s);
}

function suggest() {
  const word = $("words").value;
  const fits = word.startsWith("/") && !word.includes(" ") ? picture.commands.filter((c) => ("/" + c.command).startsWith(word)) : [];
  $("menu").hidden = fits.length === 0;
  $("menu").replaceChildren(...fits.map((c) => {
    const b = make("button", "", make("b", "", "/" + c.command), c.description);
    b.type = "button";
    b.addEventListener("click", () => { $("words").value = "/" + c.command; $("menu").hidden = true; $("words").focus(); });
    return b;
  }));
}

$("words").addEventListener("input", suggest);
$("words").addEventListener("keydown", (e) => {
  if (e.key === "Enter" && !e.shiftKey) { e.preventDefault(); $("composer").requestSubmit(); }
});
$("composer").addEventListener("submit", (e) => {
  e.preventDefault();
  const text = $("words").value.trim();
  if (!text || !picture) return;
  const s = here();
  $("words").value = "";
  $("menu").hidden = true;
  act("/say", { chat: s.info.id, user: s.as, text });
});

const live = new EventSource("/live");
live.addEventListener("message", (e) => { picture = JSON.parse(e.data); draw(); });
live.addEventListener("error", () => { $("status").textContent = "connection lost; reconnecting…"; });
