// The files that a turn changed: listed, compared, undone and redone.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { keyed, overflow, Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const shell = (command) => `[tool shell ${JSON.stringify({ command }).replaceAll('<', '\\u003c').replaceAll(']', '\\u005d')}]`
const read = (dir, name) => readFileSync(join(dir, name), 'utf8')

/** opened opens a session whose directory has the given files, in a new tab. */
async function opened(files, options) {
  const { page, id } = await s.at(options)
  const { dir } = await s.api('GET', `/v1/sessions/${id}`)
  mkdirSync(dir, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return { page, id, dir }
}

/** changed runs a command as a turn and returns the turn's part of the page, with its list open. */
async function changed(page, id, command) {
  const turn = await s.api('POST', `/v1/sessions/${id}/turns`, { text: shell(command) })
  const article = page.locator(`[data-turn="${turn.id}"]`)
  await article.locator('.changed summary').click()
  await article.getByRole('list', { name: 'Changed files' }).waitFor()
  return { turn, article }
}

const box = (article, name) => article.getByRole('checkbox', { name, exact: true })
const undoButton = (article) => article.getByRole('button', { name: /^Undo .*…$/ })
const redoButton = (article) => article.getByRole('button', { name: 'Redo', exact: true })
const dialog = (page) => page.getByRole('dialog', { name: /^Undo .*\?$/ })
const clean = { foreign: [], violations: [], dialogs: [], errors: [] }

/** undo opens the preview, checks what it says, and confirms it. */
async function undo(page, article, says = []) {
  await undoButton(article).click()
  const preview = dialog(page).getByRole('list', { name: 'What the undo does' })
  await preview.waitFor()
  for (const line of says) await preview.getByText(line, { exact: true }).waitFor()
  await dialog(page).getByRole('button', { name: 'Undo', exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
}

test('a turn lists the files that it changed, with a diff of each', async () => {
  const { page, id } = await opened({ 'a.js': 'const a = 1\nlet b\n', 'old.txt': 'old\n' })
  const { article } = await changed(page, id, 'echo "const a = 2\nlet b" > a.js; mkdir d; echo new > d/new.txt; rm old.txt')
  await article.getByText('Files: 1 changed, 1 created, 1 deleted', { exact: true }).waitFor()
  const rows = article.getByRole('list', { name: 'Changed files' }).getByRole('listitem')
  assert.deepEqual((await rows.allInnerTexts()).map((t) => t.replace(/\s+/g, ' ').trim()), [
    'a.js changed · while a command was running Diff of a.js', 'd/ created · while a command was running',
    'd/new.txt created · while a command was running Diff of d/new.txt', 'old.txt deleted · while a command was running Diff of old.txt',
  ])
  await article.getByRole('button', { name: 'Diff of a.js' }).click()
  const diff = article.getByRole('region', { name: 'Changes to a.js' })
  await diff.locator('.hl-keyword').first().waitFor()
  assert.deepEqual([await diff.locator('.removed .line').innerText(), await diff.locator('.added .line').innerText()], ['const a = 1', 'const a = 2'])
  await article.getByRole('button', { name: 'Diff of old.txt' }).click()
  await article.getByRole('region', { name: 'Changes to old.txt' }).locator('.removed').waitFor()
  assert.deepEqual(await serious(page), [])
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('one file is undone, then the others, and redone', async () => {
  const { page, id, dir } = await opened({ 'a.txt': 'one\n', 'old.txt': 'old\n' })
  const { article } = await changed(page, id, 'echo two > a.txt; mkdir d; echo new > d/new.txt; rm old.txt')
  await box(article, 'd/new.txt').uncheck()
  await box(article, 'old.txt').uncheck()
  assert.equal(await undoButton(article).innerText(), 'Undo 1 file…')
  await undo(page, article, ['gets its earlier state'])
  await article.getByText('Undone: 1 restored', { exact: true }).waitFor()
  assert.deepEqual([read(dir, 'a.txt'), read(dir, 'd/new.txt'), existsSync(join(dir, 'old.txt'))], ['one\n', 'new\n', false])
  assert.equal(await box(article, 'a.txt').count(), 0, 'a restored file cannot be undone again')

  await box(article, 'd/new.txt').check()
  await box(article, 'old.txt').check()
  await undo(page, article, ['is put back'])
  await article.getByText('Undone: 3 restored', { exact: true }).waitFor()
  assert.deepEqual([existsSync(join(dir, 'd')), read(dir, 'old.txt')], [false, 'old\n'])
  assert.equal(await undoButton(article).count(), 0)

  await redoButton(article).last().click()
  await article.getByText('Redone: 3 restored', { exact: true }).waitFor()
  assert.deepEqual([read(dir, 'd/new.txt'), existsSync(join(dir, 'old.txt')), read(dir, 'a.txt')], ['new\n', false, 'one\n'])
  await redoButton(article).click()
  await article.getByText('Redone: 1 restored', { exact: true }).waitFor()
  assert.equal(read(dir, 'a.txt'), 'two\n')
  assert.equal(await undoButton(article).innerText(), 'Undo 3 files…')
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('a file that was changed since is named and left alone', async () => {
  const { page, id, dir } = await opened({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
  const { article } = await changed(page, id, 'echo two > a.txt; echo two > b.txt')
  writeFileSync(join(dir, 'b.txt'), 'mine\n')
  await undoButton(article).click()
  const conflict = dialog(page).getByRole('listitem').filter({ hasText: 'b.txt' })
  assert.equal((await conflict.innerText()).trim(), 'b.txt left alone: it was changed since')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  assert.deepEqual([read(dir, 'a.txt'), read(dir, 'b.txt')], ['two\n', 'mine\n'])
  await undo(page, article)
  await article.getByText('Undone: 1 restored, 1 changed since and left alone', { exact: true }).waitFor()
  assert.deepEqual([read(dir, 'a.txt'), read(dir, 'b.txt')], ['one\n', 'mine\n'])

  writeFileSync(join(dir, 'b.txt'), 'two\n')
  writeFileSync(join(dir, 'a.txt'), 'mine\n')
  await redoButton(article).click()
  await article.getByText('Redone: 0 restored, 1 changed since and left alone', { exact: true }).waitFor()
  assert.equal(read(dir, 'a.txt'), 'mine\n')
  await page.context().close()
})

test('an undo without a response is sent again as the same undo', async () => {
  const { page, id, dir } = await opened({ 'a.txt': 'one\n' })
  const { article } = await changed(page, id, 'echo two > a.txt')
  const sent = []
  await page.route('**/undo', async (route) => {
    const body = route.request().postDataJSON()
    if (body.dry_run) return route.continue()
    sent.push(body)
    if (sent.length > 1) return route.continue()
    await route.fetch()
    await article.getByText('Undone: 1 restored', { exact: true }).waitFor({ state: 'attached' }) // the stream is faster than the response
    await route.abort()
  })
  await undoButton(article).click()
  await dialog(page).getByRole('button', { name: 'Undo', exact: true }).click()
  await dialog(page).getByRole('alert').waitFor()
  await dialog(page).getByRole('button', { name: 'Undo', exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await article.getByText('Undone: 1 restored', { exact: true }).waitFor()
  assert.equal(sent.length, 2)
  assert.deepEqual(sent[0], sent[1])
  assert.equal(read(dir, 'a.txt'), 'one\n')
  await page.context().close()
})

test('an undo from elsewhere is shown, and can be redone here', async () => {
  const { page, id, dir } = await opened({ 'a.txt': 'one\n' })
  const { article, turn } = await changed(page, id, 'echo two > a.txt')
  await s.api('POST', `/v1/turns/${turn.id}/undo`, { confirmed: true })
  await article.getByText('Undone: 1 restored', { exact: true }).waitFor()
  await undoButton(article).waitFor({ state: 'detached' })
  await page.reload()
  await redoButton(article).click()
  await article.getByText('Redone: 1 restored', { exact: true }).waitFor()
  assert.equal(read(dir, 'a.txt'), 'two\n')
  await page.context().close()
})

test('undo and redo wait for the end of a running turn, and need the scope undo', async () => {
  const { page, id } = await opened({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
  const { article, turn } = await changed(page, id, 'echo two > a.txt; echo two > b.txt')
  await s.api('POST', `/v1/turns/${turn.id}/undo`, { confirmed: true, paths: ['a.txt'] })
  await redoButton(article).waitFor()
  const running = await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[slow 4000 50ms]' })
  await article.locator('.changes').getByText('Not possible while a turn is running.').waitFor()
  assert.ok(await undoButton(article).isDisabled() && await redoButton(article).isDisabled())
  await s.api('POST', `/v1/turns/${running.id}/stop`)
  await article.getByText('Not possible while a turn is running.').first().waitFor({ state: 'detached' })
  assert.ok(await undoButton(article).isEnabled() && await redoButton(article).isEnabled())

  const reader = await (await s.context()).newPage()
  await s.login(reader, { scopes: ['read', 'prompt', 'stop'] })
  await reader.goto(`${s.url}/s/${id}`)
  const same = reader.locator(`[data-turn="${turn.id}"]`)
  await same.locator('.changed summary').click()
  await same.getByRole('button', { name: 'Diff of a.txt' }).waitFor()
  assert.deepEqual([await undoButton(same).count(), await redoButton(same).count(), await same.getByRole('checkbox').count()], [0, 0, 0])
  await reader.context().close()
  await page.context().close()
})

test('on a dark phone, the list and the preview fit and are accessible', async () => {
  const long = 'a-very-long-directory-name-without-a-break/'.repeat(3) + 'file.txt'
  const { page, id } = await opened({ 'a.txt': 'one\n' }, { viewport: { width: 320, height: 640 }, colorScheme: 'dark', hasTouch: true, isMobile: true })
  const { article } = await changed(page, id, `echo two > a.txt; mkdir -p ${long.replace('/file.txt', '')}; echo x > ${long}`)
  await article.getByRole('button', { name: 'Diff of a.txt' }).tap()
  await article.getByRole('region', { name: 'Changes to a.txt' }).waitFor()
  assert.deepEqual(await overflow(page), [])
  assert.deepEqual(await serious(page), [])
  await undoButton(article).tap()
  await dialog(page).getByRole('list').waitFor()
  assert.deepEqual(await overflow(page), [])
  assert.deepEqual(await serious(page), [])
  await dialog(page).getByRole('button', { name: 'Undo', exact: true }).tap()
  await redoButton(article).waitFor()
  assert.deepEqual(await overflow(page), [])
  assert.deepEqual(await serious(page), [])
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('with the keyboard alone, a file is compared, undone and redone', async () => {
  const { page, id, dir } = await opened({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
  const turn = await s.api('POST', `/v1/sessions/${id}/turns`, { text: shell('echo two > a.txt; echo two > b.txt') })
  const article = page.locator(`[data-turn="${turn.id}"]`)
  await article.locator('.changed summary').waitFor()
  const focused = () => page.evaluate(() => document.activeElement.closest('label, button, summary')?.textContent.trim() ?? document.activeElement.tagName)
  const tabTo = async (name) => { for (let i = 0; i < 60 && await focused() !== name; i++) await page.keyboard.press('Tab'); assert.equal(await focused(), name) }
  await page.locator('body').press('Tab')
  await keyed(page, 'Files: 2 changed')
  await page.keyboard.press('Enter')
  await article.getByRole('list', { name: 'Changed files' }).waitFor()
  await tabTo('Diff of a.txt')
  await page.keyboard.press('Enter')
  await article.getByRole('region', { name: 'Changes to a.txt' }).waitFor()
  await tabTo('b.txt')
  await page.keyboard.press('Space')
  await tabTo('Undo 1 file…')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('list').waitFor()
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  assert.equal(await focused(), 'Undo 1 file…', 'the focus returns to the button that opened the preview')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('list').waitFor()
  await page.waitForFunction(() => !document.querySelector('dialog[open] button.primary').disabled)
  await tabTo('Undo')
  await page.keyboard.press('Enter')
  await redoButton(article).waitFor()
  await page.waitForFunction(() => document.activeElement.innerText === 'Redo')
  assert.deepEqual([read(dir, 'a.txt'), read(dir, 'b.txt')], ['one\n', 'two\n'])
  await page.keyboard.press('Enter')
  await article.getByText('Redone: 1 restored', { exact: true }).waitFor()
  assert.equal(read(dir, 'a.txt'), 'two\n')
  await page.waitForFunction((name) => document.activeElement.closest('summary')?.textContent.trim() === name, 'Files: 2 changed') // the focus follows the text
  await page.context().close()
})

test('hostile file names are shown as text, and can be undone', async () => {
  const { page, id, dir } = await opened({})
  const names = ['<img src=x onerror="globalThis.pwned=1">', 'a\u202etxt.exe', 'line\nbreak', '$(id) `id` &amp; "q".js']
  const quoted = names.map((n) => `'${n}'`).join(' ')
  const { article } = await changed(page, id, `for f in ${quoted}; do echo x > "$f"; done`)
  const shown = ['<img src=x onerror="globalThis.pwned=1">', 'a\\u202Etxt.exe', 'line\\u000Abreak', '$(id) `id` &amp; "q".js']
  for (const name of shown) {
    await box(article, name).waitFor()
    await article.getByRole('button', { name: `Diff of ${name}`, exact: true }).click()
    await article.getByRole('region', { name: `Changes to ${name}`, exact: true }).waitFor()
  }
  await undoButton(article).click()
  await dialog(page).getByRole('list').waitFor()
  assert.deepEqual((await dialog(page).getByRole('listitem').locator('code').allInnerTexts()).sort(), [...shown].sort())
  assert.equal(await page.locator('.changed img, .changed script').count(), 0)
  await dialog(page).getByRole('button', { name: 'Undo', exact: true }).click()
  await article.getByText('Undone: 4 restored', { exact: true }).waitFor()
  assert.deepEqual(names.map((n) => existsSync(join(dir, n))), [false, false, false, false])
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined)
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

// The states that need a crash, other sessions or a full disk come from a log
// that the test writes.
test('pending, incomplete, uncertain and lost changes are described', async () => {
  const { page, id } = await opened({})
  const turn = await s.api('POST', `/v1/sessions/${id}/turns`, { text: shell('echo x > a.txt') })
  await page.locator(`[data-turn="${turn.id}"][data-state=done]`).waitFor()
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  const log = events.filter((e) => e.kind !== 'changes_recorded')
  const end = log.find((e) => e.kind === 'turn_ended')
  end.body.receipt.changes = { pending: true }
  const file = (path, certainty, more) => ({ path, kind: 'changed', certainty, ...more })
  const session = (kind, body) => ({ session: id, seq: log.at(-1).seq + 1, time: end.time, kind, body })
  const recorded = session('changes_recorded', { turn: turn.id, changes: {
    changed: 6, not_kept: 1, more: 7, problem: 'the disk is full', gaps: [{ path: 'node_modules', reason: 'too many files' }],
    files: [file('big', 'during', { not_kept: 'larger than 8 MB' }), file('disputed', 'disputed'), file('found', 'found'), file('loose', 'loose'), file('own', 'own')],
  } })
  let next = log
  await page.route('**/events?*', async (route) => {
    const since = Number(new URL(route.request().url()).searchParams.get('after'))
    const body = next.filter((e) => e.seq > since).map((e) => `data: ${JSON.stringify(e)}\n\n`).join('')
    await route.fulfill({ contentType: 'text/event-stream', body })
  })
  await page.reload()
  const article = page.locator(`[data-turn="${turn.id}"]`)
  await article.getByText('Changes: pending', { exact: true }).waitFor()
  assert.equal(await undoButton(article).count(), 0)
  next = [...log, recorded]
  await article.getByText('Files: 6 changed · not kept 1 · incomplete', { exact: true }).click()
  await article.getByText('Changes may be missing from this list: the disk is full.').waitFor()
  await article.getByText('node_modules was not compared: too many files.').waitFor()
  await article.getByText('Cannot be restored: larger than 8 MB').waitFor()
  await article.getByText('7 more changes not listed.').waitFor()
  const ticks = {}
  for (const name of ['big', 'disputed', 'found', 'loose', 'own']) ticks[name] = await box(article, name).count() ? await box(article, name).isChecked() : 'none'
  assert.deepEqual(ticks, { big: 'none', disputed: false, found: true, loose: false, own: true })
  await article.getByText('changed · while commands of other sessions were running, too').waitFor()
  await article.getByText('changed · between two calls, while background processes were running').waitFor()
  await article.getByText('changed · found after the server had ended during the turn').waitFor()
  const asked = []
  await page.route('**/undo', async (route) => {
    asked.push(route.request().postDataJSON())
    await route.fulfill({ json: { undo: 'u', turns: [turn.id], restored: 12, conflicts: 0, files: [], more: 12 } })
  })
  for (const [tick, paths] of [[undefined, ['found', 'own']], ['loose', ['found', 'loose', 'own']], ['All changes, also those that are not listed', undefined]]) {
    if (tick) await box(article, tick).check()
    await undoButton(article).click()
    await dialog(page).getByText('12 paths would be restored').waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    assert.deepEqual(asked.pop(), { ...(paths && { paths }), confirmed: true, dry_run: true })
  }
  await page.context().close()
})
