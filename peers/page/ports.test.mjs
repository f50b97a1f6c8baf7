// Cookies ignore ports: a server on another port of the host receives the
// browser's cookie. The cookie is useless without signatures of the key that the
// browser keeps for the origin of the page.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as patience } from 'node:timers/promises'
import { Stage, prompt, words } from './stage.mjs'

let s
let other
const got = [] // the cookies that the other server received
before(async () => {
  s = await Stage.open()
  other = createServer((request, response) => {
    got.push(request.headers.cookie ?? '')
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>dev server</title>')
  })
  await new Promise((listening) => other.listen(0, '127.0.0.1', listening))
  other.url = `http://127.0.0.1:${other.address().port}`
})
after(async () => { other?.close(); await s?.close() })

/** replay sends a request with the stolen cookie and returns the status and the type of the problem. */
async function replay(cookie, method, path, body, headers = {}) {
  const response = await fetch(s.url + path, {
    method, headers: { Cookie: cookie, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers }, body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })
  if (response.status === 429) { // the rate limit for bad credentials, which is not tested here
    await patience(1000)
    return replay(cookie, method, path, body, headers)
  }
  if (response.ok) { void response.body?.cancel(); return `${response.status}` }
  return `${response.status} ${String((await response.json()).type).replace('urn:bellcord:', '')}`
}

const loggedIn = (page) => page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
const loginShown = (page) => page.getByRole('textbox', { name: 'Code' }).waitFor()

test('a server on another port receives the cookie but cannot use it', async () => {
  const { page, id } = await s.at()
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 3)
  const turn = await page.locator('[data-turn]').first().getAttribute('data-turn')
  const visit = await page.context().newPage()
  got.length = 0
  await visit.goto(other.url)
  const cookie = got.find((c) => c.includes('bellcord=bc_'))
  assert.ok(cookie, `the browser sent ${JSON.stringify(got)}`) // otherwise this test proves nothing
  assert.equal(await visit.evaluate(() => localStorage.length), 0)

  const tries = [
    ['GET', '/v1/me'], ['GET', '/v1/sessions'], ['GET', `/v1/sessions/${id}`], ['GET', `/v1/sessions/${id}/events`], ['GET', `/v1/sessions/${id}/transcript`],
    ['GET', '/v1/turns'], ['GET', `/v1/turns/${turn}`], ['GET', '/v1/usage'], ['GET', '/metrics'],
    ['POST', '/v1/sessions', {}], ['POST', `/v1/sessions/${id}/turns`, { text: 'stolen' }], ['PATCH', `/v1/sessions/${id}`, { mode: 'full' }], ['DELETE', `/v1/sessions/${id}`],
    ['POST', `/v1/turns/${turn}/stop`, {}], ['POST', `/v1/sessions/${id}/stop`, {}], ['POST', '/v1/stop', {}], ['POST', '/v1/codes'], ['POST', '/v1/logout'],
  ]
  for (const [method, path, body] of tries) {
    assert.equal(await replay(cookie, method, path, body), '401 page-secret-needed', `${method} ${path}`)
  }
  for (const [method, path, body] of [['GET', '/v1/me'], ['GET', `/v1/sessions/${id}/events`], ['POST', `/v1/turns/${turn}/stop`, {}]]) {
    assert.equal(await replay(cookie, method, path, body, { 'Bellcord-Page': 'a'.repeat(64) }), '401 bad-credentials', `${method} ${path} with a guess`)
  }
  const asBearer = { Authorization: 'Bearer ' + /bellcord=([^;]+)/.exec(cookie)[1] }
  assert.equal(await replay('', 'GET', '/v1/me', undefined, asBearer), '401 bad-credentials')

  // The other page can neither send requests from the browser nor read the
  // responses.
  const asked = await visit.evaluate(async (url) => {
    const outcome = (init) => fetch(url + '/v1/me', init).then((r) => `${r.type} ${r.status}`, () => 'refused')
    return [await outcome({ credentials: 'include' }), await outcome({ credentials: 'include', headers: { 'Bellcord-Page': 'x' } }), await outcome({ credentials: 'include', mode: 'no-cors' })]
  }, s.url)
  assert.deepEqual(asked, ['refused', 'refused', 'refused'])

  const { state } = await s.api('GET', `/v1/turns/${turn}`)
  assert.equal(state, 'running')
  const before = await page.locator('.turn .prose').last().innerText()
  await page.waitForFunction((n) => document.querySelector('.turn .prose').innerText.length > n, before.length) // its stream continues
  await page.bringToFront()
  await page.keyboard.press('Escape') // the page itself can stop
  await page.locator('.badge.stopped').waitFor()
  await page.context().close()
})

test('a cookie without the key of the page shows the login and sends no requests', async () => {
  const { page, id } = await s.at()
  await page.evaluate(() => localStorage.clear())
  const requests = []
  page.on('request', (r) => { if (r.url().includes('/v1/')) requests.push(r.url()) })
  for (const path of [`/s/${id}`, '/', '/ops']) {
    await page.goto('about:blank')
    requests.length = 0
    await page.goto(s.url + path)
    await loginShown(page)
    assert.equal(page.url(), `${s.url}/login`)
    assert.deepEqual(requests, [])
  }
  assert.ok((await page.context().cookies()).some((c) => c.name === 'bellcord'))
  await s.login(page)
  assert.deepEqual(page.context().watch.errors, [])
  await page.context().close()
})

test('a login with a wrong key shows the login page', async () => {
  const { page, id } = await s.at()
  await page.evaluate(() => localStorage.setItem('bellcord.page', 'f'.repeat(64)))
  await page.goto(`${s.url}/s/${id}`)
  await loginShown(page)
  assert.deepEqual(page.context().watch.errors, [])
  await page.context().close()
})

// Another process can take the port while the server is down, and gets everything
// that the browser has for the origin.
test('a server that takes the port gets nothing that it can use after a restart', async () => {
  const { page, id } = await s.at()
  const tab = await page.context().newPage() // stays open, and reconnects to whatever is there
  await tab.goto(`${s.url}/s/${id}`)
  await tab.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor()
  await s.kill()
  const seen = [] // the credentials of each request
  let told
  const impostor = createServer((request, response) => {
    if (request.headers['bellcord-page'] || request.headers.cookie) seen.push([request.headers.cookie, request.headers['bellcord-page']])
    if (request.url === '/told') { request.on('data', (d) => { told = (told ?? '') + d }); request.on('end', () => response.end()); return }
    if (request.url.startsWith('/v1/')) { response.statusCode = 503; response.end(); return }
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><script>
      (async () => {
        const db = await new Promise((done) => { const o = indexedDB.open('bellcord', 1); o.onsuccess = () => done(o.result) })
        const all = await new Promise((done) => { const r = db.transaction('keys').objectStore('keys').getAll(); r.onsuccess = () => done(r.result) })
        const formats = await Promise.all(['pkcs8', 'jwk', 'raw'].map((f) => crypto.subtle.exportKey(f, all[0]).then(() => f, () => '')))
        const sign = async (text) => [...new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, all[0], new TextEncoder().encode('bellcord page\\0' + text)))]
        await fetch('/told', { method: 'POST', body: JSON.stringify({ storage: { ...localStorage }, keys: all.length, formats, signature: await sign('guessed') }) })
      })()
    </script>`)
  })
  const [host, port] = s.addr.split(':')
  await new Promise((listening) => impostor.listen(Number(port), host, listening))
  await page.goto(s.url)
  while (!told || !seen.some(([, header]) => header)) await patience(50) // the open tab has sent its signature
  const got = JSON.parse(told)
  assert.equal(got.keys, 1)
  assert.deepEqual(got.formats, ['', '', '']) // the key cannot be read
  await page.goto('about:blank') // a page of the impostor that stays open is as good as the browser
  impostor.closeAllConnections()
  await new Promise((closed) => impostor.close(closed))
  await s.serve()
  const cookie = seen.map(([c]) => c).find((c) => c?.includes('bellcord='))
  const signed = seen.map(([, header]) => header).filter(Boolean)
  const guessed = `${got.storage['bellcord.page']}.guessed.${Buffer.from(got.signature).toString('base64url')}`
  for (const header of [...new Set(signed), guessed, got.storage['bellcord.page'], ...Object.values(got.storage)]) {
    assert.match(await replay(cookie, 'GET', '/v1/me', undefined, { 'Bellcord-Page': header }), /^401 /)
  }
  assert.equal(await replay(cookie, 'GET', '/v1/me', undefined, { 'Bellcord-Page': signed[0] }), '401 page-signature-old')
  await tab.bringToFront()
  await prompt(tab, 'after the restart') // the browser is still logged in
  await tab.locator('.badge.done').waitFor()
  await page.goto(`${s.url}/s/${id}`)
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor()
  await page.context().close()
})

test('tabs share a login; a second login replaces the first in all tabs; a logout applies to all tabs', async () => {
  const { page, id } = await s.at()
  const context = page.context()
  const first = await page.evaluate(() => localStorage.getItem('bellcord.page'))
  const second = await context.newPage()
  await second.goto(`${s.url}/s/${id}`)
  await second.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor()
  await s.login(second)
  await page.waitForFunction((first) => localStorage.getItem('bellcord.page') !== first, first) // the browser copies it to the other tab
  await page.bringToFront()
  await prompt(page, 'after the second login')
  await page.locator('.badge.done').waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await loginShown(page)
  await loginShown(second)
  await second.getByText('You have been logged out.').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('bellcord.page')), null)
  assert.deepEqual(await context.cookies(), [])
  await s.login(second)
  await loggedIn(page)
  assert.deepEqual(context.watch.errors, [])
  await context.close()
})

test('a conversation is saved as a file by the page, not by a link', async () => {
  const { page, id } = await s.at()
  await prompt(page, 'save this')
  await page.locator('.badge.done').waitFor()
  await page.getByLabel('Session menu').click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as Markdown' }).click()])
  assert.equal(file.suggestedFilename(), 'session.md')
  let text = ''
  for await (const piece of await file.createReadStream()) text += piece
  assert.match(text, /You said: save this/)
  assert.deepEqual(page.context().watch.violations, [])
  await page.goto(`${s.url}/v1/sessions/${id}/transcript`)
  assert.match(await page.locator('body').innerText(), /page-secret-needed/) // opening an API address directly is refused
  await page.context().close()
})

test('without the admin scope the page shows what requires it', async () => {
  const page = await s.page()
  await page.locator('.sessions').getByText('Only your own sessions are listed. To see other people’s, log in with bellcord open --admin.').waitFor()
  await page.goto(`${s.url}/ops`)
  await page.locator('.ops').getByText('Only your own turns are listed. To see everyone’s turns and the nodes, log in with bellcord open --admin.').waitFor()
  await page.goto(`${s.url}/s/01920000-0000-7000-8000-00000000000a`)
  await page.locator('.banner').getByText('bellcord open --admin').waitFor()
  await page.context().close()
  const admin = await (await s.context()).newPage()
  await s.login(admin, { scopes: ['read', 'prompt', 'stop', 'admin'] })
  await admin.goto(`${s.url}/ops`)
  await admin.getByRole('heading', { name: 'Nodes' }).waitFor()
  assert.equal(await admin.getByText('Only your own').count(), 0)
  await admin.context().close()
})
