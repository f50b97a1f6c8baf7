// The list of sessions, and the search over them.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as patience } from 'node:timers/promises'
import { serious } from './axe.mjs'
import { Stage } from './stage.mjs'

let s, base
before(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bcw')))
  for (const dir of ['shop', 'site']) mkdirSync(join(base, dir))
  s = await Stage.open({ args: ['--dir', base] })
})
after(async () => { await s?.close(); rmSync(base, { recursive: true, force: true }) })

const picture = async (page, name) => { if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, name + '.png') }) }

async function answered(text, more) {
  const id = await s.session(more)
  const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, { text })
  await s.api('GET', `/v1/turns/${turn}?wait=30s`)
  return id
}

/** inState waits until a session is in a state: the page searches once, when its user asks. */
async function inState(state, id) {
  while (!(await s.api('GET', `/v1/search?state=${state}`)).hits.some((h) => h.session.id === id)) await patience(20)
}

test('Ctrl-K opens the search; hits have the marked fragment as text, and lead to the session', async () => {
  const id = await answered('[say The sum of the cart is <img src=x onerror=alert(1)> wrong.]', { dir: join(base, 'shop'), title: 'Fix totals' })
  await answered('hello', { title: 'Carthage' })
  const page = await s.page()
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox', { name: 'Search sessions' }).waitFor()
  assert.ok(await page.getByRole('searchbox').evaluate((b) => b === document.activeElement))
  await page.keyboard.type('Cart')
  const hits = page.locator('.hits li a')
  await hits.nth(1).locator('mark', { hasText: /^cart$/ }).first().waitFor() // the hits of the whole word, after a pause in typing
  assert.equal(await hits.count(), 2)
  assert.match(page.url(), /\/search\?q=Cart$/)
  assert.match(await hits.nth(0).innerText(), /^Carthage/)
  assert.match(await hits.nth(1).innerText(), /Fix totals.*shop/s)
  assert.equal(await hits.nth(1).locator('mark').first().innerText(), 'cart')
  assert.match(await hits.nth(1).locator('.fragment').innerText(), /sum of the cart is <img src=x onerror=alert\(1\)> wrong/)
  await picture(page, 'search')
  assert.deepEqual(await serious(page), [])
  await page.getByLabel('Project').selectOption(join(base, 'shop'))
  await page.waitForFunction(() => document.querySelectorAll('.hits li a').length === 1)
  assert.equal(new URL(page.url()).searchParams.get('dir'), join(base, 'shop'))
  await page.reload()
  await hits.filter({ hasText: 'Fix totals' }).waitFor() // the address keeps the query and the project
  assert.equal(await hits.count(), 1)
  assert.equal(await page.getByLabel('Project').inputValue(), join(base, 'shop'))
  await hits.first().click()
  await page.waitForURL((url) => url.pathname.startsWith('/s/'))
  await page.goBack()
  await hits.filter({ hasText: 'Fix totals' }).waitFor()
  assert.equal(await page.getByLabel('Project').inputValue(), join(base, 'shop'))
  assert.equal(await hits.count(), 1)
  await page.goto(`${s.url}/search?q=cart&dir=${encodeURIComponent('/not/a/project')}`)
  await page.locator('.hits', { hasText: 'Nothing found for cart.' }).waitFor()
  assert.equal(await page.getByLabel('Project').inputValue(), '/not/a/project')
  await page.getByLabel('Project').selectOption('')
  await hits.nth(1).waitFor()
  assert.equal(new URL(page.url()).search, '?q=cart')
  await page.getByRole('searchbox').fill('locomotive')
  await page.locator('.hits', { hasText: 'Nothing found for locomotive.' }).waitFor()
  await page.getByRole('searchbox').fill('cart sum')
  await hits.first().filter({ hasText: 'Fix totals' }).waitFor()
  await page.keyboard.press('Tab')
  await hits.first().click()
  await page.waitForURL((url) => url.pathname.startsWith(`/s/${id}/t/`)) // to the turn that was found
  await page.locator('.turn[aria-current]').waitFor()
  const { violations, errors, dialogs } = page.context().watch
  assert.deepEqual([violations, errors, dialogs], [[], [], []])
  await page.context().close()
})

test('the search selects sessions by their state, with words and without', async () => {
  const page = await s.page()
  const waiting = await s.session({ dir: join(base, 'shop'), mode: 'ask', title: 'Asks tram' })
  await s.api('POST', `/v1/sessions/${waiting}/turns`, { text: '[tool shell {"command":"echo tram"}]' })
  const held = await s.session({ dir: join(base, 'site'), title: 'Holds tram' })
  const { id: first } = await s.api('POST', `/v1/sessions/${held}/turns`, { text: '[slow 1000]' })
  await s.api('POST', `/v1/sessions/${held}/turns`, { text: 'and then the tram' })
  await inState('waiting', waiting)
  await page.goto(`${s.url}/search`)
  const state = page.getByLabel('State')
  await state.waitFor() // the code of the search is loaded when it is opened
  assert.deepEqual(await state.locator('option').allInnerTexts(), ['Any', 'Running', 'Waiting for you', 'Held', 'Ended'])
  const hits = page.locator('.hits li a')
  const only = async (title) => {
    await hits.filter({ hasText: title }).waitFor()
    assert.equal(await hits.count(), 1)
  }
  await state.selectOption('running')
  await only('Holds tram')
  await state.selectOption('waiting')
  await only('Asks tram')
  await s.api('POST', `/v1/turns/${first}/stop`)
  await inState('held', held)
  await state.selectOption('held')
  await only('Holds tram')
  assert.equal(new URL(page.url()).search, '?state=held')
  await state.selectOption('waiting')
  await only('Asks tram')
  await picture(page, 'search-state')
  await page.reload()
  await hits.filter({ hasText: 'Asks tram' }).waitFor() // the address keeps the state
  assert.equal(await state.inputValue(), 'waiting')
  await page.getByRole('searchbox').fill('cart')
  await page.locator('.hits', { hasText: 'Nothing found for cart.' }).waitFor()
  await state.selectOption('ended')
  await hits.filter({ hasText: 'Fix totals' }).waitFor()
  assert.deepEqual(await serious(page), [])
  await s.api('POST', `/v1/sessions/${waiting}/stop`)
  await page.context().close()
})

test('sessions are grouped by project; those that wait for the user are first and counted in the title', async () => {
  await answered('hello', { dir: join(base, 'site'), title: 'Links' })
  const id = await s.session({ dir: join(base, 'shop'), mode: 'ask', title: 'Lint' })
  const page = await s.page()
  const list = page.getByRole('navigation', { name: 'Sessions' })
  await list.getByRole('region', { name: join(base, 'site') }).getByText('Links').waitFor()
  assert.equal(await page.title(), 'Bellcord')
  await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[tool shell {"command":"echo lint"}]' })
  const first = list.locator('section').first()
  await first.filter({ hasText: 'Waiting for you' }).waitFor({ timeout: 15_000 })
  assert.match(await first.innerText(), /Lint\s+waiting for you/)
  await page.waitForFunction(() => document.title === '(1) Bellcord')
  const names = await list.locator('h2').allInnerTexts()
  assert.deepEqual(names.map((n) => n.replace(/ \d+$/, '')), ['Waiting for you', join(base, 'site'), join(base, 'shop'), 'Scratch'])
  await picture(page, 'groups')
  await page.goto(`${s.url}/s/${id}`)
  await page.waitForFunction(() => /^\(1\) ● Lint – Bellcord$/.test(document.title))
  await page.locator('.question').getByRole('button', { name: 'Reject' }).click()
  await page.waitForFunction(() => document.title === 'Lint – Bellcord')
  await list.getByRole('region', { name: join(base, 'shop') }).getByText('Lint').waitFor()
  await page.context().close()
})

test('the search fits a phone, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await s.page({ viewport: { width: 320, height: 640 }, colorScheme, hasTouch: true })
    await page.goto(`${s.url}/search?q=cart`)
    await page.locator('.hits li a').first().waitFor()
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), [320, 320])
    assert.deepEqual(await serious(page), [])
    await picture(page, `search-phone-${colorScheme}`)
    await page.context().close()
  }
})


test('a search with more hits than it returns continues with older sessions', async () => {
  for (let i = 0; i < 31; i++) await s.session({ title: `Ledger ${i}` })
  const page = await s.page()
  await page.goto(s.url + '/search?q=Ledger')
  const hits = page.locator('.hits li a')
  await page.getByRole('button', { name: 'search older sessions' }).click()
  await hits.nth(30).waitFor()
  assert.equal(await hits.count(), 31)
  assert.match(await hits.nth(30).innerText(), /Ledger 0/)
  assert.equal(await page.getByRole('button', { name: 'search older sessions' }).count(), 0)
})
