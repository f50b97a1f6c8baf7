// Small screens: nothing overflows, targets are large, and the page can be
// installed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { Stage, overflow } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const touch = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true }
const long = 'averyverylongwordwithoutanyspaces'.repeat(8)
const answer = `# ${long}\n\n| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| ${long} | x | ${long} | y | z | w |\n\nhttps://example.com/${'a'.repeat(200)}\n\n\`\`\`go\nvar x = "${long}"\n\`\`\`\n\n\`\`\`diff\n@@ -1 +1 @@\n-${long}\n+${long}1\n\`\`\``

async function send(page, text) {
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(text)
  await page.locator('[data-action=send]').click()
}

// 200 % zoom of a window of 640 points is a screen of 320.
for (const [name, options] of Object.entries({ 'phone of 320 points': touch, '200 % zoom': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, '400 % zoom': { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 } })) {
  test(`${name}: no view overflows`, async () => {
    const { page, id } = await s.at(options, { title: long.slice(0, 190) })
    const fits = async (view) => assert.deepEqual(await overflow(page), [], view)
    await send(page, `${long} [say ${answer}] [tool shell ${JSON.stringify({ command: 'echo ' + long })}] [tool write_file ${JSON.stringify({ path: `${long.slice(0, 120)}.go`, content: `x ${long}\n` })}]`)
    await page.locator('.badge.done').waitFor()
    for (const card of await page.locator('.tool:not([open]) summary').all()) await card.click()
    await page.getByRole('button', { name: 'Timeline' }).click()
    await page.locator('.timeline').waitFor()
    await fits('answer')
    await s.api('PATCH', `/v1/sessions/${id}`, { mode: 'ask' })
    await send(page, `[tool edit_file ${JSON.stringify({ path: `${long.slice(0, 120)}.go`, old: 'x ', new: long })}]`)
    await page.locator('.question').waitFor()
    await send(page, 'queued ' + long)
    await page.locator('.queue').waitFor()
    await page.locator('input[type=file]').setInputFiles([{ name: long.slice(0, 200), mimeType: 'text/plain', buffer: Buffer.from('x') }, { name: 'r'.repeat(200), mimeType: 'application/pdf', buffer: Buffer.from('x') }])
    await page.locator('.attached li').nth(1).waitFor()
    await fits('question, queue and files')
    await page.getByLabel('Session menu').click()
    await fits('menu')
    await page.getByLabel('Session menu').click()
    await page.locator('.head button.stop').click()
    await page.locator('.badge.stopped').waitFor()
    await fits('stopped')
    for (const path of ['/', '/settings', '/ops', '/login', '/nowhere']) {
      await page.goto(s.url + path)
      await page.locator('h1').first().waitFor()
      if (path === '/ops') await page.locator('.card').first().waitFor()
      await fits(path)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, path)
    }
    await page.goto(s.url + '/settings')
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.locator('dialog[open]').waitFor()
    await fits('shortcuts')
    assert.deepEqual(page.context().watch.violations, [])
    await page.context().close()
  })
}

test('touch: no Esc hints, Stop has 48 points and stays above the keyboard, Enter starts a line', async () => {
  const { page } = await s.at(touch)
  const box = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await box.fill('a')
  await box.press('Enter')
  assert.equal(await box.inputValue(), 'a\n')
  await send(page, '[slow 4000 20ms]')
  await page.locator('.composer [data-action=stop]').waitFor()
  assert.doesNotMatch(await page.locator('body').innerText(), /\bEsc\b/)
  const place = () => page.locator('.composer [data-action=stop]').evaluate((e) => { const r = e.getBoundingClientRect(); return { height: r.height, bottom: r.bottom, screen: visualViewport.height } })
  assert.ok((await place()).height >= 48, JSON.stringify(await place()))
  await box.tap()
  await page.setViewportSize({ width: 320, height: 300 }) // the keyboard takes the rest
  const now = await place()
  assert.ok(now.bottom <= now.screen && now.height >= 48, JSON.stringify(now))
  assert.deepEqual(await serious(page), [])
  await send(page, '[say ```go\nx\n```]')
  await page.locator('.queue').waitFor()
  await page.locator('.composer [data-action=stop]').tap()
  await page.locator('.badge.stopped').waitFor()
  await page.locator('.queue').getByRole('button', { name: 'Send now' }).waitFor()
  await page.getByLabel('Session menu').tap()
  for (const name of ['Save as Markdown', 'Clear conversation…', 'Delete…']) assert.ok(await page.locator('.menu', { has: page.getByLabel('Session menu') }).getByText(name).isVisible(), name)
  const small = await page.evaluate(() => [...document.querySelectorAll('.composer button, .menu button, .foot button, .queue button')].filter((b) => b.getBoundingClientRect().height < 44).map((b) => b.innerText))
  assert.deepEqual(small, [])
  await page.context().close()
})

for (const [width, colorScheme] of [[320, 'dark'], [375, 'light']]) {
  test(`a phone of ${width} points, ${colorScheme}: the header has whole words, and the settings change in a dialog`, async () => {
    const { page, id } = await s.at({ viewport: { width, height: 667 }, hasTouch: true, isMobile: true, colorScheme }, { title: 'Fix totals' })
    const facts = page.locator('.facts')
    await facts.locator('span', { hasText: 'Everything without asking' }).waitFor()
    assert.equal(await facts.locator('select:visible').count(), 0)
    assert.deepEqual(await facts.locator('span:visible').evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText)), [])
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/phone-${width}-${colorScheme}.png` })
    await page.getByLabel('Session menu').tap()
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/phone-${width}-menu.png` })
    await page.getByRole('button', { name: 'Permissions…' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Settings of this session' })
    const choice = dialog.getByLabel('Permissions')
    await choice.waitFor()
    assert.ok((await choice.boundingBox()).height >= 44)
    assert.deepEqual(await overflow(page), [])
    assert.deepEqual(await serious(page), [])
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/phone-${width}-dialog.png` })
    await choice.selectOption('read-only')
    await facts.locator('span', { hasText: 'Read only' }).waitFor()
    assert.equal((await s.api('GET', `/v1/sessions/${id}`)).mode, 'read-only')
    await dialog.getByRole('button', { name: 'Close' }).tap()
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Session menu') // the event of the dialog comes later
    await page.context().close()
  })
}

test('the start page of a phone has the name first, then the prompt, then the sessions', async () => {
  const page = await s.page(touch)
  await s.session({ title: 'a session' })
  await page.reload()
  await page.locator('.sessions li a').first().waitFor()
  const tops = await page.evaluate(() => ['.brand', 'h1', '#composer', '.sessions li a'].map((q) => document.querySelector(q).getBoundingClientRect().top))
  assert.deepEqual(tops, [...tops].sort((a, b) => a - b))
  const wide = await page.locator('.choices select').evaluateAll((all) => all.map((e) => e.getBoundingClientRect().width))
  assert.ok(wide.length > 0 && wide.every((w) => w > 250), `the choices are ${wide} wide`) // no text is cut
  await page.context().close()
})

test('the page can be installed as an app', async () => {
  const page = await s.page()
  const client = await page.context().newCDPSession(page)
  const manifest = await client.send('Page.getAppManifest')
  assert.equal(manifest.url, s.url + '/manifest.webmanifest')
  assert.deepEqual(manifest.errors, [])
  const { installabilityErrors } = await client.send('Page.getInstallabilityErrors')
  assert.deepEqual(installabilityErrors.filter((e) => e.errorId !== 'in-incognito'), [])
  assert.deepEqual(page.context().watch, { foreign: [], violations: [], dialogs: [], errors: [] })
  await page.context().close()
})
