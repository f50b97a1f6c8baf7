// Notifications while the page is closed: the subscription in the settings, and
// the service worker, which gets messages from the browser's developer tools
// instead of a push service.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const clean = { foreign: [], violations: [], dialogs: [], errors: [] }
const closedPage = 'Also while the page is closed'

/** opened opens the page with the permission to notify. subscribe says what the browser's push service does: it is out of reach of a test. */
async function opened(subscribe) {
  const context = await s.context()
  await context.grantPermissions(['notifications'], { origin: s.url })
  await context.addInitScript((subscribe) => {
    if (!globalThis.PushManager) return // an empty tab
    let now = null
    globalThis.subscriptions = []
    PushManager.prototype.getSubscription = async () => now
    PushManager.prototype.subscribe = async (options) => {
      if (subscribe === 'fails') throw new DOMException('Registration failed - push service not available', 'AbortError')
      globalThis.subscriptions.push(options)
      const key = Uint8Array.from(atob(options.applicationServerKey.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
      const keys = { p256dh: options.applicationServerKey, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } // any point on the curve
      now = { options: { applicationServerKey: key.buffer }, toJSON: () => ({ endpoint: 'https://localhost:1/secret', expirationTime: null, keys }), unsubscribe: async () => { now = null } }
      return now
    }
  }, subscribe)
  const page = await context.newPage()
  await s.login(page)
  await page.goto(s.url + '/settings')
  await page.getByRole('checkbox', { name: closedPage }).waitFor()
  return page
}

/** pressed changes the checkbox and waits until the server has the change. */
async function pressed(page, on) {
  const box = page.getByRole('checkbox', { name: closedPage })
  const done = page.waitForResponse((r) => r.url().includes('/v1/push/subscriptions') && r.request().method() === (on ? 'POST' : 'DELETE'))
  await (on ? box.check() : box.uncheck())
  await done
  await page.getByRole('checkbox', { name: closedPage, checked: on, disabled: false }).waitFor()
}

const stored = async () => (await s.api('GET', '/v1/push')).subscriptions.map((v) => [v.service, v.questions, v.ends])

test('turning it on subscribes this browser, a change of the kinds reaches the server, and turning it off ends it', async () => {
  const page = await opened('works')
  assert.equal(await page.getByRole('checkbox', { name: closedPage }).isChecked(), false)
  await page.getByRole('checkbox', { name: 'A turn waits for me' }).check()
  assert.deepEqual(await stored(), [])
  await pressed(page, true)
  assert.deepEqual(await stored(), [['localhost:1', true, false]])
  assert.deepEqual(await page.evaluate(() => globalThis.subscriptions.map((o) => [o.userVisibleOnly, o.applicationServerKey])), [[true, (await s.api('GET', '/v1/push')).key]])
  const changed = page.waitForResponse((r) => r.url().endsWith('/v1/push/subscriptions'))
  await page.getByRole('checkbox', { name: 'A turn ended' }).check()
  await changed
  assert.deepEqual(await stored(), [['localhost:1', true, true]])

  await page.getByRole('button', { name: 'Send a test' }).click() // the push service is at a private address, which the server refuses
  await page.getByText('Not sent.').first().waitFor()
  assert.match(await page.getByRole('alert').innerText(), /Push does not work: .*not a public address/)

  await s.api('DELETE', '/v1/push/subscriptions/' + (await s.api('GET', '/v1/push')).subscriptions[0].id) // a server that lost it
  const again = page.waitForResponse((r) => r.url().endsWith('/v1/push/subscriptions'))
  await page.goto(s.url)
  await again
  assert.deepEqual(await stored(), [['localhost:1', true, true]])
  await page.goto(s.url + '/settings')
  await page.getByRole('checkbox', { name: closedPage, checked: true, disabled: false }).waitFor()
  await pressed(page, false)
  assert.deepEqual(await stored(), [])
  assert.equal(await page.evaluate(() => localStorage.getItem('bellcord.push')), null)
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('a browser whose push service fails shows the reason and stays off', async () => {
  const page = await opened('fails')
  await page.getByRole('checkbox', { name: closedPage }).click()
  await page.getByText('Push does not work: Registration failed - push service not available').waitFor()
  await page.getByRole('checkbox', { name: closedPage, checked: false, disabled: false }).waitFor()
  assert.deepEqual(await stored(), [])
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('a browser without push shows the reason, and the other notifications still work', async () => {
  const context = await s.context()
  await context.grantPermissions(['notifications'], { origin: s.url })
  await context.addInitScript(() => { delete globalThis.PushManager })
  const page = await context.newPage()
  await s.login(page)
  await page.goto(s.url + '/settings')
  await page.getByText('This browser cannot be notified while the page is closed.').waitFor()
  assert.ok(await page.getByRole('checkbox', { name: closedPage }).isDisabled())
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Sent.', { exact: true }).first().waitFor()
  await context.close()
})

test('the worker shows messages while no page is visible, and a click opens the session', async () => {
  const page = await opened('works')
  await pressed(page, true) // installs the worker
  const [worker] = page.context().serviceWorkers()
  const tools = await page.context().newCDPSession(page)
  const registered = new Promise((resolve) => tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => { if (registrations[0]) resolve(registrations[0].registrationId) }))
  await tools.send('ServiceWorker.enable')
  const registrationId = await registered
  const deliver = (message) => tools.send('ServiceWorker.deliverPushMessage', { origin: s.url, registrationId, data: typeof message === 'string' ? message : JSON.stringify(message) })
  const shown = (n) => worker.evaluate(async (n) => {
    for (let i = 0; i < 2000; i++) {
      const all = await registration.getNotifications()
      if (all.length >= n) return all.map((o) => [o.title, o.body, o.tag, o.data.path])
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return 'too few'
  }, n)
  const session = await s.session({ title: 'Clean up' })

  // The page is visible: only a test is shown.
  await deliver({ kind: 'question', session, turn: 't0', title: 'Hidden' })
  await deliver({ kind: 'test' })
  assert.deepEqual(await shown(1), [['Bellcord', 'Push messages work.', 'test', '/settings']])
  await worker.evaluate(async () => { for (const o of await registration.getNotifications()) o.close() })

  // The page is closed; the tab shows something else.
  await page.goto('about:blank')
  await worker.evaluate(async () => { // the browser may still list the page that was left
    while ((await clients.matchAll({ type: 'window', includeUncontrolled: true })).length > 0) await new Promise((resolve) => setTimeout(resolve, 25))
  })
  await deliver({ kind: 'question', session, turn: 't1', title: 'Clean \u202eup' })
  assert.deepEqual(await shown(1), [['Waiting for you', 'Clean  up', 't1', `/s/${session}`]])
  await deliver({ kind: 'end', session, turn: 't2', title: 'Clean up', end: 'stopped' })
  assert.deepEqual((await shown(2)).find((o) => o[2] === 't2'), ['Stopped', 'Clean up', 't2', `/s/${session}`])
  await deliver({ kind: 'end', session: '../../evil', turn: 't3', title: 'x', end: 'done' })
  assert.deepEqual((await shown(3)).find((o) => o[2] === 't3'), ['Done', 'x', 't3', '/'])
  await deliver('not JSON')
  assert.deepEqual((await shown(4)).find((o) => o[2] === '/'), ['Bellcord', '', '/', '/'])
  assert.deepEqual(await worker.evaluate(() => caches.keys()), [])

  // A click without a page opens one. Browsers open windows for real clicks only.
  const click = (tag) => worker.evaluate(async (tag) => {
    const opened = []
    Object.defineProperty(clients, 'openWindow', { configurable: true, value: async (path) => { opened.push(path) } })
    const [notification] = await registration.getNotifications({ tag })
    const event = new NotificationEvent('notificationclick', { notification })
    const waits = []
    event.waitUntil = (p) => waits.push(p)
    dispatchEvent(event)
    await Promise.allSettled(waits)
    return [opened, (await registration.getNotifications({ tag })).length]
  }, tag)
  assert.deepEqual(await click('t1'), [[`/s/${session}`], 0])

  // A click with an open page shows the session there.
  await page.goto(s.url)
  await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  assert.deepEqual(await click('t2'), [[], 0])
  await page.waitForURL(`**/s/${session}`)
  assert.deepEqual(page.context().watch.violations, [])
  await page.context().close()
})

test('without TLS, the settings say that notifications need HTTPS', async () => {
  const context = await s.context()
  await context.addInitScript(() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }))
  const page = await context.newPage()
  await s.login(page)
  await page.goto(s.url + '/settings')
  await page.getByText('They need HTTPS, or the server’s own machine.').waitFor()
  assert.ok(await page.getByRole('checkbox', { name: closedPage }).isDisabled())
  await context.close()
})
