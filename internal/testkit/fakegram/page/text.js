// Text and entities become elements. Nothing that came over the wire is ever
// read as HTML: all of it goes through textContent.

const tags = {
  bold: "b", italic: "i", underline: "u", strikethrough: "s", code: "code",
  blockquote: "blockquote", expandable_blockquote: "blockquote",
};

// rendered returns a fragment. Entities are sorted, outer ones first, and count
// UTF-16 units, as JavaScript's strings do.
export function rendered(text, entities = []) {
  const rest = [...entities];
  return span(text, 0, text.length, rest);
}

function span(text, from, to, rest) {
  const out = document.createDocumentFragment();
  let at = from;
  while (rest.length && rest[0].offset < to) {
    const e = rest.shift();
    out.append(text.slice(at, e.offset));
    const el = element(e, text.slice(e.offset, e.offset + e.length));
    el.append(span(text, e.offset, e.offset + e.length, rest));
    out.append(el);
    at = e.offset + e.length;
    // A block ends its line by itself.
    if ((el.tagName === "PRE" || el.tagName === "BLOCKQUOTE") && text[at] === "\n") at++;
  }
  out.append(text.slice(at, to));
  return out;
}

function element(e, inner) {
  const el = document.createElement(tags[e.type] ?? "span");
  switch (e.type) {
    case "pre": return codeBlock(e.language);
    case "text_link": return link(e.url);
    case "url": return link(inner);
    case "spoiler":
      el.className = "spoiler";
      el.addEventListener("click", () => el.classList.add("open"));
      break;
    case "bot_command": case "mention": case "text_mention": case "hashtag":
      el.className = "accent";
  }
  return el;
}

function codeBlock(language) {
  const el = document.createElement("pre");
  if (language) el.dataset.language = language;
  return el;
}

function link(url) {
  if (!/^(https?|tg|mailto|tel):/i.test(url)) return document.createElement("span");
  const el = document.createElement("a");
  el.href = url;
  el.target = "_blank";
  el.rel = "noopener noreferrer";
  el.title = url;
  return el;
}
