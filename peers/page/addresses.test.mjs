// The page's addresses: switching between sessions, unknown addresses, and the
// login.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage, prompt } from './stage.mjs'

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
  await page.getByText('This session does not exist or was deleted.').waitFor()
  await page.context().close()
})

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
