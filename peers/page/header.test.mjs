// The header of a conversation: its title, its settings, its cost; and shares.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { Stage, prompt, words } from './stage.mjs'

let s
before(async () => {
  s = await Stage.open({ config: `
models = ["openai/other"]
[model_info."openai/fake"]
context_window = 100000
input_usd_per_million = 1000.0
output_usd_per_million = 5000.0
` })
})
after(() => s?.close())

const picture = async (page, name) => { if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, name + '.png') }) }
const chosen = (page, label) => page.locator(`.facts select[aria-label="${label}"]`).evaluate((e) => e.value)

test('a session is renamed in its header; Esc keeps the title and stops nothing', async () => {
  const { page, id } = await s.at()
  await prompt(page, '[slow 400 250ms]')
  await words(page, 2)
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  const box = page.getByRole('textbox', { name: 'Title' })
  await box.fill('never')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await box.fill('Fix totals')
  await page.keyboard.press('Enter')
  await page.locator('h1', { hasText: 'Fix totals' }).waitFor()
  await page.locator('.sessions .title', { hasText: 'Fix totals' }).waitFor({ timeout: 10_000 })
  assert.equal((await s.api('GET', `/v1/sessions/${id}`)).title, 'Fix totals')
  assert.equal(await page.locator('.head.stopping, .badge.stopped').count(), 0)
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  await page.context().close()
})

test('model and permissions change in the header; a refusal is explained and changes nothing', async () => {
  const { page, id } = await s.at({}, { mode: 'ask' })
  await page.locator('.facts select').first().waitFor()
  await page.getByLabel('Model', { exact: true }).selectOption('openai/other')
  await page.waitForFunction(() => document.querySelector('.facts select[aria-label=Model]').value === 'openai/other')
  await page.getByLabel('Permissions').selectOption('read-only')
  await page.waitForFunction(() => document.querySelector('.facts select[aria-label=Permissions]').value === 'read-only')
  const now = await s.api('GET', `/v1/sessions/${id}`)
  assert.deepEqual([now.model, now.mode], ['openai/other', 'read-only'])
  await prompt(page, '[tool write_file {"path":"a.txt","content":"x"}]')
  await page.locator('.badge.done, .badge.failed').waitFor()
  assert.doesNotMatch(await page.locator('.tool .outcome').innerText(), /finished/)
  await page.route('**/v1/sessions/*', (r) => (r.request().method() === 'PATCH' ? r.fulfill({ status: 403, contentType: 'application/problem+json', body: '{"type":"urn:bellcord:scope","detail":"mode \\"full\\" needs the scope admin"}' }) : r.continue()))
  await page.getByLabel('Permissions').selectOption('full')
  await page.locator('.banner', { hasText: 'needs the scope admin' }).waitFor()
  assert.equal(await chosen(page, 'Permissions'), 'read-only')
  await page.context().close()
})

test('the cost of a session is the sum of its turns and never decreases; the context is a share of the window', async () => {
  const { page, id } = await s.at()
  await page.evaluate(() => {
    globalThis.costs = []
    new MutationObserver(() => { const c = document.querySelector('.cost'); if (c) globalThis.costs.push(Number(c.textContent.slice(1))) }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  for (const text of ['hello', '[tool shell {"command":"echo a"}]', '[slow 2000 10ms]']) {
    const before = await page.locator('.badge').count()
    await prompt(page, text)
    if (text.startsWith('[slow')) { await words(page, 20); await page.keyboard.press('Escape') }
    await page.waitForFunction((n) => document.querySelectorAll('.badge').length > n, before)
  }
  const { models } = await s.api('GET', `/v1/usage?session=${id}`)
  const sum = models.reduce((n, m) => n + (m.cost_nano_usd ?? 0), 0) / 1e9
  assert.ok(sum > 0)
  await page.waitForFunction((sum) => Math.abs(Number(document.querySelector('.cost')?.textContent.slice(1)) - sum) < 0.006, sum)
  const costs = await page.evaluate(() => globalThis.costs)
  assert.ok(costs.length > 0 && costs.every((c, i) => i === 0 || c >= costs[i - 1]), costs.join(' '))
  assert.match(await page.locator('.facts').innerText(), /ctx \d+%/)
  await page.reload()
  await page.waitForFunction((sum) => Math.abs(Number(document.querySelector('.cost')?.textContent.slice(1)) - sum) < 0.006, sum)
  await picture(page, 'header')
  assert.deepEqual(await serious(page), [])
  await page.context().close()
})

test('a share shows a copy without a login, composer or tool output, and ends with Stop sharing', async () => {
  const { page, id } = await s.at({ permissions: ['clipboard-write'] })
  await prompt(page, '[tool shell {"command":"echo the-$((40+2))-plan"}] [say The **sum** is <img src=x onerror=alert(1)> seven.]')
  await page.locator('.badge.done').waitFor()
  await page.getByLabel('Session menu').click()
  await page.getByRole('button', { name: 'Share…' }).click()
  const dialog = page.locator('dialog.sharing')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
  assert.ok(link.startsWith(`${s.url}/share/`))
  await page.evaluate(() => { // the page may not read the clipboard
    const write = navigator.clipboard.writeText.bind(navigator.clipboard)
    navigator.clipboard.writeText = (text) => { globalThis.copied = text; return write(text) }
  })
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate(() => globalThis.copied), link)
  await dialog.getByLabel('Also share the output').check()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.locator('.shares li').nth(1).waitFor()
  const withOutput = await dialog.getByLabel('Link', { exact: true }).inputValue()
  await picture(page, 'sharing')
  assert.deepEqual(await serious(page), [])

  for (const colorScheme of ['light', 'dark']) {
    const stranger = await s.context({ viewport: { width: 360, height: 700 }, colorScheme })
    const sent = []
    stranger.on('request', (r) => sent.push([new URL(r.url()).pathname, r.headers()]))
    const other = await stranger.newPage()
    await other.goto(link)
    await other.locator('.prose strong', { hasText: 'sum' }).waitFor()
    const seen = await other.locator('main').innerText()
    assert.match(seen, /shared by admin.*read-only/i)
    assert.match(seen, /<img src=x onerror=alert\(1\)> seven/)
    assert.match(seen, /echo the-/)
    assert.doesNotMatch(await other.locator('.tool').innerText(), /the-42-plan/) // the answer may repeat it
    assert.equal(await other.locator('.tool .output').count(), 0)
    assert.equal(await other.locator('textarea, .composer, nav').count(), 0)
    assert.deepEqual([...new Set(sent.map(([path]) => path))].filter((p) => p.startsWith('/v1')), ['/v1/shared'])
    assert.ok(sent.every(([, headers]) => !headers.referer && !headers.cookie && !headers.authorization))
    assert.deepEqual(await other.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), [360, 360])
    await picture(other, `share-${colorScheme}`)
    assert.deepEqual(await serious(other), [])
    await other.goto(withOutput)
    await other.locator('.tool summary').click()
    await other.locator('.tool .output', { hasText: 'the-42-plan' }).waitFor()
    await other.goto(`${s.url}/s/${id}`)
    await other.getByRole('button', { name: 'Log in' }).waitFor() // a share is no login
    assert.deepEqual([stranger.watch.violations, stranger.watch.errors, stranger.watch.dialogs], [[], [], []])
    await stranger.close()
  }
  const response = await fetch(link, { headers: { Accept: 'text/html' } })
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  assert.match(response.headers.get('content-security-policy'), /default-src 'self'.*frame-ancestors 'none'/)
  assert.match(response.headers.get('x-robots-tag'), /noindex/)

  await dialog.getByRole('button', { name: 'Stop sharing' }).first().click()
  await dialog.locator('.shares li').nth(1).waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Stop sharing' }).click()
  await dialog.locator('.shares').waitFor({ state: 'detached' })
  const stranger = await s.context()
  const other = await stranger.newPage()
  await other.goto(link)
  await other.getByText('no longer shared').waitFor()
  await stranger.close()
  await page.context().close()
})

/** expire sets the end of a share to a moment ago, in the store of a server that is shut down meanwhile: the API has no shorter time than a day. */
async function expire({ expires }) {
  s.server.child.kill('SIGTERM')
  await s.server.gone
  const path = join(s.data, 'bellcord.db')
  const store = readFileSync(path)
  const [seconds, fraction] = expires.slice(0, -1).split('.')
  const nanos = (ms) => { const b = Buffer.alloc(8); b.writeBigInt64BE(BigInt(ms) * 1_000_000n); return b }
  const stored = nanos(Date.parse(seconds + 'Z'))
  stored.writeBigInt64BE(stored.readBigInt64BE() + BigInt((fraction ?? '').padEnd(9, '0')))
  const at = store.indexOf(stored) // SQLite stores it as eight bytes, and no index has it
  assert.ok(at > 0 && store.indexOf(stored, at + 1) < 0, 'the end of the share is not in the store once')
  nanos(Date.now() - 1000).copy(store, at)
  writeFileSync(path, store)
  await s.serve()
}

test('an expired share shows that it has expired, and nothing of the conversation', async () => {
  const id = await s.session({ title: 'Fix totals' })
  const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[say The sum is seven.]' })
  await s.api('GET', `/v1/turns/${turn}?wait=20s`)
  const share = await s.api('POST', `/v1/sessions/${id}/shares`, { days: 1 })
  const context = await s.context()
  const page = await context.newPage()
  await page.goto(`${s.url}/share/${share.token}`)
  await page.getByText('The sum is seven.').first().waitFor()
  await expire(share)
  await page.reload()
  await page.getByRole('alert').getByText('has expired').waitFor()
  const sent = await (await fetch(`${s.url}/v1/shared`, { headers: { 'Bellcord-Share': share.token } })).text()
  for (const text of [await page.locator('body').innerText(), await page.title(), sent]) assert.doesNotMatch(text, /Fix totals|sum|seven/)
  assert.deepEqual((await s.api('GET', `/v1/shares?session=${id}`)).shares, [])
  assert.deepEqual(await serious(page), [])
  await context.close()
})
