// The page while the server is unreachable, and afterwards: it shows only
// confirmed facts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage, prompt, words } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const everything = (page) => page.locator('body').innerText()

test('a stop pressed after the server was killed is not shown as delivered, and the lost turn is shown', async () => {
  const { page } = await s.at()
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 5)
  await s.kill()
  await page.locator('.banner', { hasText: 'Connection lost. The turn may still be running.' }).waitFor()
  assert.doesNotMatch(await everything(page), /What runs goes on/)
  await page.locator('.sessions a[aria-current=page]').filter({ hasNotText: 'running' }).waitFor()
  await page.evaluate(() => {
    globalThis.shown = new Set()
    new MutationObserver(() => { for (const e of document.querySelectorAll('.state')) globalThis.shown.add(e.textContent) }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await page.keyboard.press('Escape')
  await page.locator('.head', { hasText: 'Stop not delivered yet. Retrying.' }).waitFor()
  assert.equal(await page.locator('.head.stopping').count(), 0)
  const tries = []
  page.on('request', (r) => { if (r.method() === 'POST' && r.url().endsWith('/stop')) tries.push(r) })
  await page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/stop')) // the stop is retried
  const shown = await page.evaluate(() => [...globalThis.shown])
  assert.ok(!shown.some((word) => word.includes('Stopping')), `a stop that reached nobody was shown as ${shown.join(' | ')}`)
  await s.serve()
  await page.locator('.badge', { hasText: 'Lost: Bellcord ended during this turn.' }).waitFor({ timeout: 30000 })
  assert.ok(tries.length > 0)
  assert.equal(await page.locator('.banner', { hasText: 'Connection lost' }).count(), 0)
  await page.context().close()
})

test('a stop pressed while offline is delivered after reconnecting', async () => {
  const { page } = await s.at()
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 3)
  await page.context().setOffline(true)
  await page.locator('.banner', { hasText: 'The turn may still be running.' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.head', { hasText: 'Stop not delivered yet. Retrying.' }).waitFor()
  await page.context().setOffline(false)
  await page.locator('.badge.stopped').waitFor()
  await page.context().close()
})

test('a stream that the server ends with a problem shows the problem until it resumes', async () => {
  const { page, id } = await s.at()
  let broken = true
  const problem = JSON.stringify({ type: 'urn:bellcord:store-damaged', status: 500, detail: 'event 7 cannot be read' })
  await page.route('**/events?*', (route) => broken ? route.fulfill({ contentType: 'text/event-stream', body: `retry: 1000\n\nevent: problem\ndata: ${problem}\n\n` }) : route.continue())
  await page.goto(`${s.url}/s/${id}`)
  const banner = page.locator('.banner', { hasText: 'Cannot load the rest of this session: event 7 cannot be read.' })
  await banner.waitFor()
  assert.equal(await page.locator('.banner', { hasText: 'Connection lost' }).count(), 0)
  broken = false
  await banner.waitFor({ state: 'detached' })
  await prompt(page, 'it goes on')
  await page.locator('.badge.done').waitFor()
  await page.context().close()
})

test('without a turn the page only shows that the connection is lost', async () => {
  const { page } = await s.at()
  await page.context().setOffline(true)
  await page.locator('.banner', { hasText: 'Connection lost. Reconnecting…' }).waitFor()
  await page.context().close()
})
