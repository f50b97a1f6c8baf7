// Notifications while the page is hidden.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

/** opened opens the page with a permission; shown lists the notifications that the browser showed. */
async function opened(permissions) {
  const context = await s.context()
  if (permissions) await context.grantPermissions(['notifications'], { origin: s.url })
  await context.addInitScript(() => {
    globalThis.shown = []
    if (!globalThis.ServiceWorkerRegistration) return // an empty tab
    const show = ServiceWorkerRegistration.prototype.showNotification
    ServiceWorkerRegistration.prototype.showNotification = function (title, options) { globalThis.shown.push([title, options.body, options.data.path]); return show.call(this, title, options) }
  })
  const page = await context.newPage()
  await s.login(page)
  return page
}

const hide = (page, hidden) => page.evaluate((hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') })
  document.dispatchEvent(new Event('visibilitychange'))
}, hidden)

const shown = (page, n) => page.waitForFunction((n) => globalThis.shown.length >= n && globalThis.shown, n).then((h) => h.jsonValue())

test('a hidden page notifies about a question and about the end of a turn, as the settings say', async () => {
  const page = await opened(true)
  await page.goto(s.url + '/settings')
  await page.getByRole('checkbox', { name: 'A turn waits for me' }).check()
  await page.getByRole('button', { name: 'Send a test' }).click()
  assert.deepEqual(await shown(page, 1), [['Bellcord', 'Notifications work.', '/settings']])
  await page.getByText('Sent.', { exact: true }).first().waitFor()
  assert.equal(await page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).length), 1)

  const asks = await s.session({ title: 'Clean up', mode: 'ask' })
  const looks = page.waitForResponse((r) => r.url().endsWith('/v1/turns'))
  await hide(page, true)
  await looks
  const turn = await s.api('POST', `/v1/sessions/${asks}/turns`, { text: '[tool shell {"command":"date"}]' })
  assert.deepEqual((await shown(page, 2))[1], ['Waiting for you', 'Clean up', `/s/${asks}`])
  await s.api('POST', `/v1/turns/${turn.id}/stop`) // ends are off
  await hide(page, false)
  await page.getByRole('checkbox', { name: 'A turn ended' }).check()
  await page.getByRole('checkbox', { name: 'A turn waits for me' }).uncheck()
  const again = page.waitForResponse((r) => r.url().endsWith('/v1/turns'))
  await hide(page, true)
  await again
  const runs = await s.session({ title: 'Tests' })
  const slow = await s.api('POST', `/v1/sessions/${runs}/turns`, { text: '[slow 6000 20ms]' })
  await page.waitForResponse(async (r) => r.url().endsWith('/v1/turns') && (await r.json()).turns.some((t) => t.id === slow.id && t.state === 'running'))
  await s.api('POST', `/v1/turns/${slow.id}/stop`)
  assert.deepEqual((await shown(page, 3)).slice(2), [['Stopped', 'Tests', `/s/${runs}`]])
  assert.deepEqual(page.context().watch, { foreign: [], violations: [], dialogs: [], errors: [] })
  await page.context().close()
})

test('a page that is looked at does not notify, and the worker keeps nothing', async () => {
  const page = await opened(true)
  await page.evaluate(() => localStorage.setItem('bellcord.settings', JSON.stringify({ waiting: true, ended: true })))
  await page.reload()
  await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  const id = await s.session()
  const turn = await s.api('POST', `/v1/sessions/${id}/turns`, { text: 'hello' })
  await s.api('GET', `/v1/turns/${turn.id}?wait=10s`)
  await page.waitForResponse((r) => r.url().endsWith('/v1/turns'))
  assert.deepEqual(await page.evaluate(() => globalThis.shown), [])
  assert.deepEqual(await page.evaluate(() => caches.keys()), [])
  await page.context().close()
})

test('without the permission, the settings say why and send nothing', async () => {
  const page = await opened(false)
  await page.goto(s.url + '/settings')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Not sent.').first().waitFor()
  await page.getByText('The browser blocks notifications of this site.').waitFor()
  assert.equal(await page.getByRole('checkbox', { name: 'A turn ended' }).isChecked(), false)
  assert.deepEqual(page.context().watch.violations, [])
  await page.context().close()
})
