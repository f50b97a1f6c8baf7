// The settings page, the list of keys and the start page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage, accessible, keyed, overflow, prompt } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const clean = { foreign: [], violations: [], dialogs: [], errors: [] }
const background = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)

test('the theme and the text size apply at once, in all tabs and after a reload', async () => {
  const page = await s.page({ colorScheme: 'light' })
  await page.goto(s.url + '/settings')
  const other = await page.context().newPage()
  await other.goto(s.url)
  const light = await background(page)
  await page.getByRole('radio', { name: 'Dark' }).check()
  assert.notEqual(await background(page), light)
  await other.waitForFunction((was) => getComputedStyle(document.documentElement).backgroundColor !== was, light)
  await page.getByRole('radio', { name: 'Large' }).check()
  await page.reload()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  assert.notEqual(await background(page), light)
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '18px')
  assert.ok(await page.getByRole('radio', { name: 'Dark' }).isChecked())
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await background(page)
  await page.getByRole('radio', { name: 'Light', exact: true }).check()
  assert.equal(await background(page), light)
  await page.getByRole('radio', { name: 'System' }).check()
  assert.equal(await background(page), dark)
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('code wraps and Enter starts a new line if the settings say so', async () => {
  const { page, id } = await s.at()
  await prompt(page, '[say ```\n' + 'x'.repeat(400) + '\n```]')
  await page.locator('.badge.done').waitFor()
  const scrolls = () => page.locator('.code pre').evaluate((e) => e.scrollWidth > e.clientWidth + 1)
  assert.equal(await scrolls(), true)
  await page.goto(s.url + '/settings')
  await page.getByRole('checkbox', { name: 'Wrap long lines of code' }).check()
  await page.getByRole('radio', { name: 'New line' }).check()
  await page.goto(`${s.url}/s/${id}`)
  await page.locator('.code pre').waitFor()
  assert.equal(await scrolls(), false)
  const box = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await box.fill('one')
  await box.press('Enter')
  await page.keyboard.type('two')
  assert.equal(await box.inputValue(), 'one\ntwo')
  await box.press('Control+Enter')
  await page.locator('.badge.done').nth(1).waitFor()
  assert.match(await page.locator('.prompt').last().innerText(), /one\ntwo/)
  await page.context().close()
})

test('settings of another version or of another origin do not break the page', async () => {
  const page = await s.page()
  for (const bad of ['no json', '[]', 'null', '{"theme":"<img>","size":7,"wrap":"yes"}']) {
    await page.evaluate((bad) => localStorage.setItem('bellcord.settings', bad), bad)
    await page.goto(s.url + '/settings')
    assert.ok(await page.getByRole('radio', { name: 'System' }).isChecked(), bad)
  }
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('the account shows the owner and the rights, and logs out', async () => {
  const page = await s.page()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByText('Logged in as').waitFor()
  assert.match(await page.locator('[aria-label=Account]').innerText(), /admin[^]*Rights: .*prompt/)
  await page.locator('main').getByRole('button', { name: 'Log out' }).click()
  await page.waitForURL('**/login')
  await page.context().close()
})

test('? shows the keys outside of a text field, Esc closes only the list, and the focus returns', async () => {
  const { page } = await s.at()
  await prompt(page, '[slow 3000 20ms]')
  await page.locator('[data-state=running]').waitFor()
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).press('?')
  assert.equal(await page.locator('dialog[open]').count(), 0)
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('')
  await keyed(page, 'Session menu')
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  assert.deepEqual(await accessible(page), [])
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.locator('[data-state=running]').count(), 1)
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Session menu')
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  await page.context().close()
})

test('Ctrl-Shift-O opens a new session, and Alt with the arrows moves between sessions', async () => {
  const page = await s.page()
  const ids = []
  for (const title of ['first', 'second', 'third']) ids.unshift(await s.session({ title }))
  await page.goto(`${s.url}/s/${ids[1]}`)
  await page.locator(`.sessions a[href="/s/${ids[0]}"]`).waitFor()
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.waitForURL(`**/s/${ids[0]}`)
  await page.keyboard.press('Alt+ArrowDown')
  await page.waitForURL(`**/s/${ids[1]}`)
  await page.keyboard.press('Alt+ArrowDown')
  await page.waitForURL(`**/s/${ids[2]}`)
  await page.keyboard.press('Control+Shift+O')
  await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.id === 'composer')
  await page.context().close()
})

test('the start page shows what it can do; a suggestion fills the prompt and sends nothing', async () => {
  const page = await s.page()
  const count = async () => (await s.api('GET', '/v1/sessions?limit=100')).sessions.length
  const sessions = await count()
  assert.match(await page.locator('main').innerText(), /Stop means stopped/)
  await page.getByRole('button', { name: 'Explain this project' }).click()
  assert.match(await page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue(), /^Explain this project/)
  assert.equal(await page.evaluate(() => document.activeElement.id), 'composer')
  assert.equal(await count(), sessions)
  await page.keyboard.press('Enter')
  await page.locator('.badge.done').waitFor()
  assert.equal(await count(), sessions + 1)
  await page.context().close()
})

test('axe reports no serious violations on the new views, in light and dark, on desktop and phone', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1100, height: 760 }, { width: 320, height: 640 }]) {
      const page = await s.page({ colorScheme, viewport, reducedMotion: 'reduce' })
      assert.deepEqual(await accessible(page), [], `start, ${colorScheme}`)
      assert.deepEqual(await overflow(page), [], `start, ${viewport.width}`)
      await page.goto(s.url + '/settings')
      await page.getByText('Logged in as').waitFor()
      assert.deepEqual(await accessible(page), [], `settings, ${colorScheme}`)
      assert.deepEqual(await overflow(page), [], `settings, ${viewport.width}`)
      assert.deepEqual(page.context().watch, clean)
      await page.context().close()
    }
  }
})

test('by keyboard alone, every setting can be changed', async () => {
  const page = await s.page()
  await page.goto(s.url + '/settings')
  await page.getByText('Logged in as').waitFor()
  for (let i = 0; i < 60 && await page.evaluate(() => document.activeElement.name) !== 'theme'; i++) await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.evaluate(() => document.documentElement.dataset.size), 'large')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  assert.equal(await page.evaluate(() => document.documentElement.dataset.wrap), 'true')
  await keyed(page, 'Keyboard shortcuts')
  await page.keyboard.press('Enter')
  await page.locator('dialog[open]').waitFor()
  await page.context().close()
})
