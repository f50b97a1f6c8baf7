// The page's addresses: switching between sessions, unknown addresses, and the
// login.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { join } from 'node:path'
import { Stage, prompt } from './stage.mjs'

const picture = async (page, name) => { if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, name + '.png') }) }

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

test('ten switches between sessions cause no errors', async () => {
  const page = await s.page()
  const ids = []
  for (const title of ['switch one', 'switch two']) {
    const id = await s.session({ title })
    ids.push(id)
    await s.api('POST', `/v1/sessions/${id}/turns`, { text: `[say ${'a long answer of many words '.repeat(200)}]` })
  }
  await page.goto(`${s.url}/s/${ids[0]}`)
  for (let n = 1; n <= 10; n++) {
    const title = n % 2 ? 'switch two' : 'switch one'
    await page.locator('.sessions').getByText(title).click()
    await page.locator('h1', { hasText: title }).waitFor()
    await page.locator('.badge.done').waitFor()
  }
  assert.deepEqual(page.context().watch.errors, [])
  await page.context().close()
})

test('an unknown session and an unknown address show a page with a link back', async () => {
  const page = await s.page()
  for (const [path, title] of [['/s/abc', 'No such session'], ['/nope', 'Page not found'], ['/s/abc/def', 'No such session']]) {
    await page.goto(s.url + path)
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/')
  }
  await page.goto(`${s.url}/s/01920000-0000-7000-8000-00000000000a`)
  await page.locator('p.faint, p.banner', { hasText: 'This session does not exist or was deleted.' }).waitFor()
  await page.context().close()
})

for (const [name, options] of [['desktop', {}], ['phone', { viewport: { width: 360, height: 640 }, hasTouch: true }]]) {
  test(`a turn has an address: its link is copied, opens the session and scrolls to the turn, on a ${name}`, async () => {
    const id = await s.session({ title: 'Long talk' })
    const turns = []
    for (let n = 1; n <= 4; n++) {
      const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, { text: `[say answer ${n}: ${'many words in a row '.repeat(120)}]` })
      await s.api('GET', `/v1/turns/${turn}?wait=30s`)
      turns.push(turn)
    }
    const page = await s.page(options)
    await page.goto(`${s.url}/s/${id}`)
    const second = page.locator(`[data-turn="${turns[1]}"]`)
    await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text } }) // the page may not read the clipboard
    await second.getByLabel('Turn menu').click()
    await picture(page, `turn-menu-${name}`)
    await second.getByRole('button', { name: 'Copy link' }).click()
    await page.locator('[role=status]', { hasText: 'Link copied.' }).waitFor()
    assert.equal(await second.getByRole('button', { name: 'Copy link' }).isVisible(), false)
    const link = await page.evaluate(() => globalThis.copied)
    assert.equal(link, `${s.url}/s/${id}/t/${turns[1]}`)
    await page.goto('about:blank')
    await page.goto(link)
    await page.waitForFunction((turn) => {
      const at = document.querySelector(`[data-turn="${turn}"]`)?.getBoundingClientRect().top
      const from = document.querySelector('.scroll')?.getBoundingClientRect().top
      return at !== undefined && at >= from && at < from + 40
    }, turns[1])
    assert.equal(await second.getAttribute('aria-current'), 'location')
    await second.locator('.timeline').waitFor()
    await picture(page, `turn-${name}`)
    await page.waitForTimeout(500)
    assert.ok(await second.evaluate((e) => e.getBoundingClientRect().top < innerHeight / 2))
    let last
    for (const lines of [100, 2]) {
      last = await s.api('POST', `/v1/sessions/${id}/turns`, { text: `[tool shell {"command":"seq 1 ${lines}; false"}]` })
      await s.api('GET', `/v1/turns/${last.id}?wait=30s`)
    }
    await page.goto(`${s.url}/s/${id}/t/${last.id}`)
    await page.locator(`[data-turn="${last.id}"] .timeline`).waitFor()
    assert.equal(await page.locator('header.top').evaluate((e) => e.getBoundingClientRect().top), 0) // the conversation scrolls, the page does not
    await page.goto(`${s.url}/s/${id}/t/01920000-0000-7000-8000-00000000000a`)
    await page.getByText('This session has no such turn.').waitFor()
    assert.deepEqual(page.context().watch.errors, [])
    await page.context().close()
  })
}

test('a code pasted into the tab with the login page is filled in', async () => {
  const context = await s.context()
  const page = await context.newPage()
  await page.goto(`${s.url}/login`)
  await page.getByRole('textbox', { name: 'Code' }).waitFor()
  const { code } = await s.api('POST', '/v1/codes')
  await page.evaluate((code) => { location.hash = code }, code)
  await page.waitForFunction((code) => document.querySelector('input').value === code, code)
  assert.equal(page.url(), `${s.url}/login`)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  await context.close()
})

test('code in answers has 13 to 14 px and a tab width of four', async () => {
  const { page } = await s.at()
  await prompt(page, '[say `inline` and\n\n```go\nfunc main() {\n\tx()\n}\n```\n]')
  await page.locator('.badge.done').waitFor()
  for (const what of ['.prose pre', '.prose pre code', '.prose p code']) {
    const { size, tab } = await page.locator(what).first().evaluate((e) => ({ size: parseFloat(getComputedStyle(e).fontSize), tab: getComputedStyle(e).tabSize }))
    assert.ok(size >= 13 && size <= 14, `${what} has ${size} px`)
    assert.equal(tab, '4', what)
  }
  await page.context().close()
})
