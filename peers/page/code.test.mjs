// Code and diffs: colours, line numbers, changed words, and one diff per call.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { Stage, keyed, prompt } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const tool = (name, args) => `[tool ${name} ${JSON.stringify(args)}]`
const total = 'package cart\n\nfunc total(items []Item) int {\n\tsum := 0\n\tfor i := 1; i < len(items); i++ {\n\t\tsum += items[i].Price\n\t}\n\treturn sum\n}\n'
const edit = { path: 'total.go', old: 'i := 1; i < len(items)', new: 'i := 0; i < len(items)' }

/** written opens a session whose directory has total.go. */
async function written(options, more) {
  const { page, id } = await s.at(options, { mode: 'full' })
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(tool('write_file', { path: 'total.go', content: total }))
  await page.locator('[data-action=send]').click()
  await page.locator('.badge.done').waitFor()
  if (more?.mode) await s.api('PATCH', `/v1/sessions/${id}`, more)
  return { page, id }
}

test('the scanner of the page and that of the terminal return the same parts', async () => {
  const { lines } = await import('../../internal/front/web/page/dist/highlight.js')
  const samples = JSON.parse(readFileSync(new URL('../../internal/highlight/testdata/samples.json', import.meta.url), 'utf8'))
  assert.ok(samples.length > 200)
  for (const { language, code, spans } of samples) assert.deepEqual(lines(language, code.split('\n')), spans, `${language}: ${code}`)
  assert.equal(lines('klingon', ['if']), undefined)
  assert.equal(lines('constructor', ['if']), undefined)
})

test('code in an answer is coloured by a file that is loaded with the first code', async () => {
  const { page } = await s.at()
  const asked = []
  page.on('request', (r) => { if (r.url().endsWith('/highlight.js')) asked.push(r.url()) })
  await prompt(page, 'no code')
  await page.locator('.badge.done').waitFor()
  assert.equal(asked.length, 0)
  await prompt(page, '[say ```go\nfunc main() { // start\n\tprint("a", 12)\n}\n```\n\n```klingon\nfunc\n```]')
  await page.locator('.badge.done').nth(1).waitFor()
  await page.locator('.hl-keyword').first().waitFor()
  const parts = await page.evaluate(() => Object.fromEntries(['keyword', 'string', 'comment', 'number'].map((k) => [k, [...document.querySelectorAll('.hl-' + k)].map((e) => e.textContent)])))
  assert.deepEqual(parts, { keyword: ['func'], string: ['"a"'], comment: ['// start'], number: ['12'] })
  assert.equal(await page.locator('.code pre').first().innerText(), 'func main() { // start\n\tprint("a", 12)\n}')
  assert.equal(asked.length, 1)
  const style = await page.locator('.code pre code').first().evaluate((e) => { const c = getComputedStyle(e); const p = getComputedStyle(e.parentElement); return [c.fontSize, parseFloat(p.lineHeight) / parseFloat(p.fontSize), c.tabSize] })
  assert.deepEqual(style, ['13.5px', 1.5, '4'])
  assert.deepEqual(page.context().watch, { foreign: [], violations: [], dialogs: [], errors: [] })
  await page.context().close()
})

test('a diff block has signs, line numbers and marked words', async () => {
  const { page } = await s.at()
  await prompt(page, '[say ```diff\n--- a/total.go\n+++ b/total.go\n@@ -11,2 +11,2 @@ func\n func total() {\n-\tfor i := 1; i < n; i++ {\n+\tfor i := 0; i < n; i++ {\n```]')
  await page.locator('.badge.done').waitFor()
  const rows = await page.locator('.prose .diff > div').evaluateAll((all) => all.map((r) => [r.className, r.querySelector('.number')?.textContent, r.querySelector('.sign')?.textContent, r.querySelector('.line').textContent]))
  assert.deepEqual(rows, [
    ['heading', '', undefined, '--- a/total.go'], ['heading', '', undefined, '+++ b/total.go'], ['heading', '', undefined, '@@ -11,2 +11,2 @@ func'],
    ['same', '11', ' ', 'func total() {'], ['removed', '12', '−', '\tfor i := 1; i < n; i++ {'], ['added', '12', '+', '\tfor i := 0; i < n; i++ {'],
  ])
  assert.deepEqual(await page.locator('.diff .word').allInnerTexts(), ['1', '0'])
  await page.context().close()
})

for (const [device, options] of Object.entries({ desktop: {}, phone: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true } })) {
  test(`${device}: the diff of an edit is shown once: in the question, then in the call`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const { page } = await written({ ...options, colorScheme, reducedMotion: 'reduce' }, { mode: 'ask' })
      await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(tool('edit_file', edit))
      await page.locator('[data-action=send]').click()
      const question = page.locator('.question')
      await question.waitFor()
      const last = page.locator('.turn').last()
      const rows = async () => last.locator('.diff').first().locator('> div').evaluateAll((all) => all.map((r) => `${r.querySelector('.number').textContent} ${r.querySelector('.sign').textContent} ${r.querySelector('.line').textContent}`))
      const wanted = ['2   ', '3   func total(items []Item) int {', '4   \tsum := 0', '5 − \tfor i := 1; i < len(items); i++ {', '5 + \tfor i := 0; i < len(items); i++ {', '6   \t\tsum += items[i].Price', '7   \t}', '8   \treturn sum']
      assert.equal(await last.locator('.diff').count(), 1)
      assert.deepEqual((await rows()).map((r) => r.replace(/ $/, ' ')), wanted.map((r) => (r === '2   ' ? '2    ' : r)))
      assert.deepEqual(await last.locator('.diff .word').allInnerTexts(), ['1', '0'])
      assert.equal(await question.locator('h3').innerText(), 'Edit this file?')
      assert.match(await question.locator('.file').innerText(), /^total\.go \+1 −1$/)
      assert.equal(await question.locator('.arguments').count(), 0)
      assert.deepEqual(await serious(page), [])
      const all = question.getByRole('button', { name: 'Show all' })
      if (await all.isVisible()) await all.click() // the diff does not fit on a phone
      const allow = question.getByRole('button', { name: 'Allow once' })
      await allow.scrollIntoViewIfNeeded() // an answer counts after it has been in its place for 0.7 s
      await page.waitForTimeout(1000)
      await page.waitForFunction(() => document.querySelector('.answers button')?.getAttribute('aria-disabled') === 'false')
      await allow.click()
      await last.locator('.badge.done').waitFor()
      assert.equal(await last.locator('.diff').count(), 1)
      assert.deepEqual((await rows()).length, wanted.length)
      assert.match(await last.locator('.tool .outcome').innerText(), /finished.*\+1 −1/)
      assert.doesNotMatch(await last.locator('.tool').innerText(), /@@ line|→/)
      assert.deepEqual(await serious(page), [])
      assert.deepEqual(page.context().watch.violations, [])
      await page.context().close()
    }
  })
}

test('an edit without a question shows the lines of its result, with numbers', async () => {
  const { page } = await written()
  await prompt(page, tool('edit_file', edit))
  await page.locator('.badge.done').nth(1).waitFor()
  const last = page.locator('.turn').last()
  assert.deepEqual(await last.locator('.diff .number').allInnerTexts(), ['3', '4', '5', '5', '6', '7'])
  assert.equal(await last.locator('.diff').count(), 1)
  assert.equal(await last.locator('.tool .name').innerText(), 'Edit')
  await page.context().close()
})

test('by keyboard, a diff can be read, and its card closed and opened', async () => {
  const { page } = await written()
  await keyed(page, 'Changes to total.go')
  await page.keyboard.press('Shift+Tab')
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY')
  await page.keyboard.press('Enter')
  assert.equal(await page.locator('.tool').evaluate((e) => e.open), false)
  await page.keyboard.press('Enter')
  assert.equal(await page.locator('.tool').evaluate((e) => e.open), true)
  await page.context().close()
})

for (const [name, options] of [['desktop', {}], ['phone', { viewport: { width: 360, height: 640 }, hasTouch: true, colorScheme: 'dark' }]]) {
  test(`long output and a long diff are shown in part, and in full on request, on a ${name}`, async () => {
    const { page } = await s.at(options, { mode: 'full' })
    const send = async (text, n) => {
      await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(text)
      await page.locator('[data-action=send]').click()
      await page.locator('.badge.done').nth(n).waitFor()
    }
    await send(tool('shell', { command: 'seq 1 212' }), 0)
    await send(tool('write_file', { path: 'long.txt', content: Array.from({ length: 90 }, (_, i) => `line ${i}\n`).join('') }), 1)
    await send(tool('shell', { command: 'echo short' }), 2)
    for (const [nth, what, lines] of [[0, '.output', 212], [1, '.diff', 90]]) {
      const card = page.locator('.tool').nth(nth)
      await card.locator('summary').click()
      const box = card.locator(what)
      const whole = card.getByRole('button', { name: `Show all ${lines} lines` })
      await whole.waitFor()
      assert.ok(await box.evaluate((b) => b.scrollHeight > b.clientHeight + 100))
      await whole.scrollIntoViewIfNeeded()
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/long-${nth}-${name}.png` })
      await whole.click()
      assert.ok(await box.evaluate((b) => b.scrollHeight <= b.clientHeight + 4))
      await card.getByRole('button', { name: 'Show less' }).click()
      await whole.waitFor()
    }
    await page.locator('.tool').nth(2).locator('summary').click()
    await page.locator('.tool').nth(2).locator('.output').waitFor()
    assert.equal(await page.locator('.tool').nth(2).getByRole('button', { name: /Show all/ }).count(), 0)
    assert.deepEqual(await serious(page), [])
    await page.context().close()
  })
}
