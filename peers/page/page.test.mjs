// A user's actions on the page, in a real browser.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { Stage, prompt, words } from './stage.mjs'

let s
const contexts = []
before(async () => {
  s = await Stage.open()
  const made = s.context.bind(s)
  s.context = async (options) => { const c = await made(options); contexts.push(c); return c }
})
after(() => s?.close())

const at = (options, more) => s.at(options, more)

const text = (page) => page.locator('.turn .prose').last().innerText()

async function said(id) {
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  return events.filter((e) => e.kind === 'text_delta').map((e) => e.body.text).join('')
}

test('a prompt on the start page creates a session and is answered', async () => {
  const page = await s.page()
  await prompt(page, 'hello **there**')
  await page.locator('.badge.done').waitFor()
  assert.match(await text(page), /You said: hello there/)
  assert.equal(await page.locator('.prose strong').innerText(), 'there')
  assert.match(page.url(), /\/s\/[0-9a-f-]{36}$/)
  await page.context().close()
})

test('a done turn that ended processes says so', async () => {
  const { page } = await at()
  await prompt(page, '[tool shell {"command":"setsid nohup sleep 300 >/dev/null 2>&1 & echo started"}]')
  await page.locator('.badge.done').waitFor()
  assert.match(await page.locator('.foot').innerText(), /1 process ended, (PID namespace ended|cgroup empty|no process found)\./)
  await prompt(page, 'hello')
  await page.locator('.badge.done').nth(1).waitFor()
  assert.doesNotMatch(await page.locator('.foot').nth(1).innerText(), /ended/)
  await page.context().close()
})

test('a stop that was not pressed here names its cause', async () => {
  const { page, id } = await at()
  const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[slow 2000 20ms]' })
  await words(page, 3)
  await s.api('POST', `/v1/turns/${turn}/stop`, { reason: 'enough' })
  await page.locator('.foot', { hasText: 'by admin, over HTTP (“enough”)' }).waitFor()
  await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[slow 2000 20ms]', deadline: '500ms' })
  await page.locator('.foot', { hasText: 'time limit' }).waitFor()
  await page.context().close()
})

test('a prompt that does not arrive is kept, and sent by Try again', async () => {
  const { page, id } = await at()
  await page.route('**/turns', (r) => (r.request().method() === 'POST' ? r.abort() : r.continue()))
  await prompt(page, 'hello')
  await page.locator('.head', { hasText: 'Not sent: the server cannot be reached' }).waitFor()
  await page.unroute('**/turns')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.badge.done').waitFor()
  assert.equal((await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)).events.filter((e) => e.kind === 'turn_accepted').length, 1)
  await page.context().close()
})

test('Esc stops a streaming answer, and the shown text does not change', async () => {
  const { page, id } = await at()
  await prompt(page, '[slow 2000 20ms]')
  await words(page, 5)
  assert.equal(await page.locator('.composer button[type=submit]').innerText(), 'Stop')
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  assert.equal((await text(page)).trim(), (await said(id)).trim())
  const foot = await page.locator('.foot').innerText()
  assert.match(foot, /Stopped\s+after \d:\d\d/)
  assert.doesNotMatch(foot, /by admin/) // the user's own stop
  assert.match(foot, /tokens/)
  assert.match(foot, /Kept: [\d.]+ k?B of text/) // a slow browser has received more
  assert.doesNotMatch(await page.locator('body').innerText(), /error/i)
  for (const name of ['Continue', 'Retry', 'Edit and resend', 'Copy']) assert.ok(await page.getByRole('button', { name, exact: true }).isVisible(), name)
  await page.getByRole('button', { name: 'Edit and resend' }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue(), '[slow 2000 20ms]')
  await page.getByRole('button', { name: 'Timeline' }).click()
  assert.match(await page.locator('.timeline svg').first().getAttribute('aria-label'), /stop requested.*turn ended/)
  await page.context().close()
})

test('a code fence left open by a stop is shown as code', async () => {
  const { page } = await at()
  await prompt(page, '[hang after 6] [say ```go\nfunc main() { for i := range 10 { print(i) } }\n``` end]')
  await page.locator('.prose pre').waitFor()
  await page.locator('.head').getByRole('button', { name: 'Stop' }).click()
  await page.locator('.badge.stopped').waitFor()
  assert.match(await page.locator('.prose pre').innerText(), /func main/)
  await page.context().close()
})

test('Stop in the header and in the composer stop the same turn; the second press forces the stop', async () => {
  const { page } = await at()
  await prompt(page, `[tool shell {"command":"trap '' TERM; echo on; while :; do sleep 1; done"}]`)
  await page.locator('.tool.running .output').waitFor()
  await page.locator('.composer button[type=submit]').click()
  await page.locator('.head.stopping').waitFor()
  const forced = page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/stop') && r.postDataJSON().mode === 'force')
  await page.locator('.head').getByRole('button', { name: 'Force stop' }).click()
  await forced
  await page.locator('.badge.stopped').waitFor()
  assert.match(await page.locator('.tool .outcome').innerText(), /stopped/)
  assert.match(await page.locator('.tool .output').innerText(), /on/)
  await page.context().close()
})

test('queued turns are listed, held by a stop, edited and sent', async () => {
  const { page } = await at()
  await prompt(page, '[slow 2000 20ms]')
  await words(page, 2)
  await prompt(page, 'second')
  await prompt(page, 'third')
  await page.getByRole('heading', { name: 'Queued 2' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Held 2: not sent, because the turn was stopped' }).waitFor()
  const first = page.locator('.queue li').first()
  await first.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Queued prompt' }).fill('something else')
  await page.keyboard.press('Enter')
  await page.locator('.queue').getByText('something else').waitFor()
  await page.locator('.queue li').nth(1).getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'Held 1: not sent, because the turn was stopped' }).waitFor()
  await page.locator('.queue').getByRole('button', { name: 'Send now' }).click()
  await page.locator('.prose', { hasText: 'something else' }).waitFor()
  assert.equal(await page.locator('.queue').count(), 0)
  await page.context().close()
})

test('a question shows the complete command and its directory; it is answered, or withdrawn by a stop', async () => {
  const { page, id } = await at({}, { mode: 'ask' })
  const { dir } = await s.api('GET', `/v1/sessions/${id}`)
  await prompt(page, '[tool shell {"command":"echo allowed-once && echo all of it"}]')
  const question = page.locator('.question')
  await question.waitFor()
  assert.match(await question.innerText(), /echo allowed-once && echo all of it/)
  assert.ok((await question.innerText()).includes(dir))
  await question.getByRole('button', { name: 'Allow once' }).click()
  await page.locator('.badge.done').waitFor()
  assert.match(await page.locator('.tool .outcome').first().innerText(), /finished/)
  await prompt(page, '[tool shell {"command":"echo never"}]')
  await question.waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  assert.equal(await question.count(), 0)
  assert.match(await page.locator('.tool .outcome').last().innerText(), /not run/)
  await page.context().close()
})

test('two tabs show the same live turn, and a stop in one is shown in the other', async () => {
  const { page, id } = await at()
  const other = await page.context().newPage()
  await other.goto(`${s.url}/s/${id}`)
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 3)
  await words(other, 3)
  await other.locator('.head').getByRole('button', { name: 'Stop' }).click()
  await page.locator('.badge.stopped').waitFor()
  await other.locator('.badge.stopped').waitFor()
  assert.equal(await text(page), await text(other))
  await page.context().close()
})

test('the session list shows a stop without waiting for its next refresh', async () => {
  const context = await s.context()
  await context.addInitScript(() => { const every = globalThis.setInterval; globalThis.setInterval = (f, ms, ...more) => ms === 4000 ? 0 : every(f, ms, ...more) })
  const page = await context.newPage()
  await s.login(page)
  const id = await s.session()
  await page.goto(`${s.url}/s/${id}`)
  const entry = page.locator('.sessions a[aria-current=page]')
  await prompt(page, '[slow 3000 20ms]')
  await entry.filter({ hasText: 'running' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  await entry.filter({ hasNotText: /running|stopping/ }).waitFor()
  await context.close()
})

test('a reload shows the same live turn', async () => {
  const { page, id } = await at()
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 5)
  await page.reload()
  await words(page, 10)
  assert.equal(await page.locator('.turn').count(), 1)
  assert.match(await text(page), /^word1 word2 word3 /)
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  assert.equal((await text(page)).trim(), (await said(id)).trim())
  await page.context().close()
})

test('Stop works while offline, and the page reconnects automatically', async () => {
  const { page } = await at()
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 3)
  await page.context().setOffline(true)
  await page.locator('.banner', { hasText: 'Connection lost' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.head', { hasText: 'Stop not delivered yet' }).waitFor()
  await page.context().setOffline(false)
  await page.locator('.badge.stopped').waitFor()
  assert.equal(await page.locator('.banner', { hasText: 'Connection lost' }).count(), 0)
  await page.context().close()
})

test('the page reconnects to a restarted server without a reload', async () => {
  const { page } = await at()
  await prompt(page, '[slow 3000 20ms]')
  await words(page, 5)
  const before = await text(page)
  await s.kill()
  await page.locator('.banner', { hasText: 'Connection lost' }).waitFor()
  await s.serve()
  await page.locator('.badge.lost').waitFor({ timeout: 30000 })
  assert.ok((await text(page)).startsWith(before.slice(0, 20)))
  await prompt(page, 'are you there')
  await page.locator('.prose', { hasText: 'are you there' }).waitFor()
  await page.context().close()
})

test('the page is fully usable by keyboard', async () => {
  const page = await s.page()
  const press = async (name, most = 40) => {
    for (let i = 0; i < most; i++) {
      const on = await page.evaluate(() => { const e = document.activeElement; return (e.getAttribute('aria-label') ?? e.innerText ?? e.value ?? '').trim() })
      if (on.startsWith(name)) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`nothing called ${name} has a place in the order of focus`)
  }
  await press('Prompt')
  await page.keyboard.type('[slow 2000 20ms]')
  await page.keyboard.press('Enter')
  await words(page, 2)
  await page.reload() // resets the focus
  await words(page, 2)
  await press('Stop')
  await page.keyboard.press('Enter')
  await page.locator('.badge.stopped').waitFor()
  await press('Retry')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelectorAll('.turn').length === 2)
  await words(page, 1)
  await press('Session menu')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape') // closes the menu without stopping the turn
  assert.equal(await page.locator('.menu[open]').count(), 0)
  assert.equal(await page.locator('[data-state=running]').count(), 1)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelectorAll('.badge.stopped').length === 2)
  await page.context().close()
})

test('state changes are announced to screen readers', async () => {
  const { page } = await at()
  await page.evaluate(() => {
    globalThis.heard = []
    for (const place of document.querySelectorAll('[aria-live]')) new MutationObserver(() => place.textContent && globalThis.heard.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true })
  })
  await prompt(page, '[slow 2000 20ms]')
  await words(page, 2)
  await prompt(page, '[say one\n\ntwo\n\nthree]')
  await page.locator('.queue').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  await page.waitForFunction(() => globalThis.heard.some((h) => /^Stopped after 0:\d\d\. Held: 1 prompt\.$/.test(h)))
  const heard = await page.evaluate(() => globalThis.heard)
  assert.ok(heard.indexOf('Stopping.') > heard.indexOf('Running.') && heard.includes('Queued.'), heard.join(' | '))
  await page.locator('.queue').getByRole('button', { name: 'Send now' }).click()
  await page.waitForFunction(() => globalThis.heard.includes('Answer ready, 3 lines.'))
  // One polite and one assertive region; the transcript itself is not read aloud while it grows.
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('[role=status], [role=alert], [role=log], [aria-live]')].map((e) => `${e.getAttribute('role') ?? ''} ${e.getAttribute('aria-live')}`)), ['log off', 'status polite', ' assertive'])
  await page.context().close()
})

test('no view overflows on a phone', async () => {
  const { page, id } = await at({ viewport: { width: 320, height: 568 } })
  await prompt(page, '[say | a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| averyveryverylongwordindeed | x | averyveryverylongwordindeed | y | z | w |\n\nhttps://example.com/' + 'a'.repeat(200) + '] [tool shell {"command":"echo ' + 'x'.repeat(300) + '"}]')
  await page.locator('.badge.done').waitFor()
  await page.getByRole('button', { name: 'Timeline' }).click()
  await page.locator('.timeline').waitFor()
  for (const path of [`/s/${id}`, '/', '/ops', '/login']) {
    if (path !== `/s/${id}`) await page.goto(s.url + path)
    await page.locator('h1').first().waitFor()
    const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('main, .column')].map((e) => e.getBoundingClientRect().right)))
    assert.ok(wide <= 320, `${path} is ${wide} wide`)
  }
  await page.context().close()
})

test('axe reports no serious violations, in light and dark mode', async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const found = []
  for (const colorScheme of ['light', 'dark']) {
    const { page, id } = await at({ colorScheme, reducedMotion: 'reduce' }, { mode: 'ask' })
    await prompt(page, '[say # Title\n\n- a\n\n`x` **b** [l](https://example.com)\n\n```go\nx\n```\n\n| a |\n|---|\n| b |] [think 5] [tool shell {"command":"date"}]')
    await page.locator('.question').waitFor()
    const scan = async (name) => {
      await page.evaluate(axe)
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
      for (const v of violations) if (['serious', 'critical'].includes(v.impact)) found.push(`${colorScheme} ${name}: ${v.id} ${v.nodes.map((n) => n.target).slice(0, 3)} ${v.nodes[0].failureSummary}`)
    }
    await scan('question')
    await prompt(page, 'waits')
    await page.locator('.queue').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.badge.stopped').waitFor()
    await page.getByRole('button', { name: 'Timeline' }).click()
    await scan('stopped')
    for (const path of ['/', '/ops', '/login']) {
      await page.goto(s.url + path)
      await page.locator('h1').first().waitFor()
      if (path === '/ops') await page.locator('.card').first().waitFor()
      await scan(path)
    }
    await s.api('POST', `/v1/sessions/${id}/stop`, { queue: 'drop' })
    await page.context().close()
  }
  assert.deepEqual(found, [])
})

test('operations: running turns are listed; one is stopped, then all', async () => {
  const page = await s.page()
  const ids = []
  for (let i = 0; i < 3; i++) {
    const id = await s.session()
    ids.push((await s.api('POST', `/v1/sessions/${id}/turns`, { text: `[slow 3000 20ms] ops ${i}` })).id)
  }
  await page.goto(s.url + '/ops')
  const row = page.locator('.live li', { hasText: 'ops 1' })
  await row.filter({ hasText: 'admin' }).waitFor()
  assert.match(await row.innerText(), /running/)
  await page.getByText('Running 3', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Stop all' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop all' }).click()
  await page.getByText('Nothing is running.').waitFor()
  for (const id of ids) assert.equal((await s.api('GET', `/v1/turns/${id}`)).state, 'stopped')
  await page.getByText('no process outlived a stop').waitFor()
  await page.context().close()
})

test('a code logs in once; a link alone does not log in; a logout is permanent', async () => {
  const context = await s.context()
  const page = await context.newPage()
  await page.goto(s.url)
  await page.getByRole('heading', { name: 'Bellcord' }).waitFor()
  const { code } = await s.api('POST', '/v1/codes')
  await page.goto('about:blank')
  await page.goto(`${s.url}/login#${code}`)
  await page.getByRole('button', { name: 'Log in' }).waitFor()
  assert.equal(page.url(), `${s.url}/login`)
  assert.deepEqual(await context.cookies(), [])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  const [cookie] = await context.cookies()
  assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Bellcord' }).waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(code)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await context.close()
})

test('no browser sent requests to other hosts, violated the policy or threw an error', () => {
  for (const c of contexts) assert.deepEqual(c.watch, { foreign: [], violations: [], dialogs: [], errors: [] })
})
