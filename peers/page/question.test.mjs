// Questions: typing cannot approve, the complete call is shown, nothing in it
// is hidden.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { Stage, prompt } from './stage.mjs'

let s
before(async () => { s = await Stage.open({ mode: 'ask' }) })
after(() => s?.close())

const box = (page) => page.getByRole('textbox', { name: 'Prompt', exact: true })
const call = (name, args) => `[tool ${name} ${JSON.stringify(args)}]`

/** asked starts a turn that opens a question, and waits until it is shown. */
async function asked(name, args, options) {
  const { page, id } = await s.at(options)
  const { dir } = await s.api('GET', `/v1/sessions/${id}`)
  await s.api('POST', `/v1/sessions/${id}/turns`, { text: call(name, args) })
  const question = page.locator('.question')
  await question.waitFor()
  return { page, id, dir, question, allow: question.getByRole('button', { name: 'Allow once' }) }
}

async function answers(id) {
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  return events.filter((e) => e.kind === 'question_answered').map((e) => e.body.choice)
}

const ready = (page) => page.waitForFunction(() => document.querySelector('.answers button')?.getAttribute('aria-disabled') === 'false')

test('typing "add a test" and Enter while a question appears approves nothing', async () => {
  const { page, id } = await s.at()
  const { dir } = await s.api('GET', `/v1/sessions/${id}`)
  await box(page).focus()
  void s.api('POST', `/v1/sessions/${id}/turns`, { text: call('shell', { command: 'touch approved' }) })
  for (const c of 'add a test') { await page.keyboard.type(c); await page.waitForTimeout(60) }
  await page.locator('.question').waitFor()
  await page.keyboard.type(' y a')
  await page.keyboard.press('Enter')
  await page.locator('.queue', { hasText: 'add a test y a' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForTimeout(900)
  assert.deepEqual(await answers(id), [])
  assert.ok(!existsSync(join(dir, 'approved')))
  assert.equal(await page.evaluate(() => document.activeElement.id), 'composer')
  await page.context().close()
})

test('an answer that is typed into the composer while a question is open is not queued', async () => {
  const { page, id } = await asked('shell', { command: 'touch approved' })
  await box(page).focus()
  for (const text of ['y', ' Yes ', 'no.', 'nnn', 'always']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await page.locator('.banner', { hasText: 'Not sent: a question is open.' }).waitFor()
    assert.equal(await box(page).inputValue(), '')
    await page.getByRole('button', { name: 'Close' }).click()
    await box(page).focus()
  }
  await page.keyboard.type('yes, but use tabs')
  await page.keyboard.press('Enter')
  await page.locator('.queue', { hasText: 'yes, but use tabs' }).waitFor()
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  assert.equal(events.filter((e) => e.kind === 'turn_accepted').length, 2)
  assert.deepEqual(await answers(id), [])
  await page.context().close()
})

test('a question shows which calls "Allow for this session" covers', async () => {
  const { page, question } = await asked('shell', { command: 'echo one' })
  assert.match(await question.innerText(), /For this session: exactly this call, any number of times\./)
  await page.context().close()
})

test('a click and Enter in the first 0.7 s do not answer; a letter typed on an answer goes to the composer', async () => {
  const { page, id, question } = await asked('shell', { command: 'touch approved' })
  const early = await page.evaluate(() => {
    const b = document.querySelector('.answers button')
    const inert = b.getAttribute('aria-disabled')
    for (const type of ['pointerdown', 'pointerup', 'click']) b.dispatchEvent(new PointerEvent(type, { bubbles: true, detail: 1 }))
    return inert
  })
  await page.waitForTimeout(200)
  if (early !== 'false') assert.deepEqual(await answers(id), []) // on a slow machine the answers may already have settled
  await ready(page)
  await question.getByRole('button', { name: 'Allow once' }).focus()
  await page.keyboard.type('add')
  assert.equal(await box(page).inputValue(), 'add')
  await question.getByRole('button', { name: 'Allow once' }).focus()
  await page.waitForTimeout(800)
  await page.keyboard.press('Enter') // the composer is not empty
  await page.waitForTimeout(200)
  assert.deepEqual(await answers(id), [])
  await box(page).fill('')
  await page.evaluate(() => { // in one task, so that the pause is short on every machine
    const press = (e, key) => { e.focus(); e.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })) }
    press(document.getElementById('composer'), 'Backspace')
    press(document.querySelector('.answers button'), 'Enter')
  })
  await page.waitForTimeout(200)
  assert.deepEqual(await answers(id), [])
  await page.context().close()
})

test('a focused answer is chosen by Enter after a pause, and by a click', async () => {
  for (const how of ['key', 'click']) {
    const { page, id, dir, allow } = await asked('shell', { command: 'touch approved' })
    await ready(page)
    if (how === 'click') await allow.click()
    else {
      await allow.focus()
      await page.waitForTimeout(800)
      await page.keyboard.press('Enter')
    }
    await page.locator('.badge.done').waitFor()
    assert.deepEqual(await answers(id), ['allow'])
    assert.ok(existsSync(join(dir, 'approved')))
    await page.context().close()
  }
})

test('answers that move become inactive again', async () => {
  const { page, id } = await asked('shell', { command: 'touch approved' })
  await ready(page)
  const inert = await page.evaluate(() => {
    const answers = document.querySelector('.answers')
    answers.parentElement.style.paddingTop = '60px'
    const b = answers.querySelector('button')
    for (const type of ['pointerdown', 'pointerup', 'click']) b.dispatchEvent(new PointerEvent(type, { bubbles: true, detail: 1 }))
    return true
  })
  assert.ok(inert)
  await page.waitForTimeout(300)
  assert.deepEqual(await answers(id), [])
  await page.context().close()
})

test('a written file is shown completely and must be scrolled to its end before it can be allowed', async () => {
  const content = Array.from({ length: 120 }, (_, i) => `line ${i}`).join('\n') + '\nthe last line\n'
  const { page, id, dir, question, allow } = await asked('write_file', { path: 'notes/new.txt', content })
  const shown = await question.innerText()
  assert.match(shown, /Write this file\?/)
  assert.match(shown, /notes\/new\.txt/)
  assert.ok(shown.includes('line 0') && shown.includes('the last line') && shown.includes(dir), shown)
  assert.equal(shown.match(/line 77/g).length, 1, 'the content is shown once')
  assert.match(await question.locator('.diff').evaluate((e) => getComputedStyle(e).fontFamily), /mono/i)
  await page.waitForFunction(() => [...document.querySelectorAll('.answers > button')].at(-1)?.getAttribute('aria-disabled') === 'false') // Reject
  assert.equal(await allow.getAttribute('aria-disabled'), 'true')
  await question.locator('.diff').evaluate((e) => { e.scrollTop = e.scrollHeight })
  await question.locator('.unread').waitFor({ state: 'detached' })
  await page.evaluate(() => new Promise((settled) => { // its note is gone, so the answers moved and are inactive again; the page looks every 100 ms
    let looks = 0
    const timer = setInterval(() => { if (++looks === 15) { clearInterval(timer); settled() } }, 100)
  }))
  await allow.click()
  await page.locator('.badge.done').waitFor()
  assert.deepEqual(await answers(id), ['allow'])
  await page.context().close()
})

test('an edit is shown as a diff, once', async () => {
  const { page, question } = await asked('edit_file', { path: 'total.go', old: 'a := 1\nfor i := 1; i < n; i++ {\n', new: 'a := 1\nfor i := 0; i < n; i++ {\n' })
  assert.deepEqual(await question.locator('.diff > div').evaluateAll((all) => all.map((r) => (r.querySelector('.sign').textContent + r.querySelector('.line').textContent).trim())), ['a := 1', '−for i := 1; i < n; i++ {', '+for i := 0; i < n; i++ {'])
  assert.equal((await question.innerText()).match(/i := 0/g).length, 1)
  assert.match(await question.innerText(), /Edit this file\?[^]*total\.go \+1 −1/)
  await page.context().close()
})

test('direction and control characters are shown as escapes, in questions, titles and output', async () => {
  const { page, question, allow } = await asked('shell', { command: 'printf "a\\342\\200\\256b\\010c"; # \u202Efdp.exe' })
  assert.ok((await question.innerText()).includes('\\u202Efdp.exe'), await question.innerText())
  await ready(page)
  await allow.click()
  await page.locator('.badge.done').waitFor()
  await page.locator('.tool summary').click()
  await page.locator('.tool .output', { hasText: 'a\\u202Eb\\u0008c' }).waitFor()
  for (const place of ['.question', '.tool', '.top', '.sessions']) {
    const found = await page.locator(place).allInnerTexts()
    assert.ok(!found.some((t) => /[\u202a-\u202e\u2066-\u2069]/.test(t)), `${place}: ${found}`)
  }
  await page.context().close()
})

test('every answer has a unique label', async () => {
  const { page, question } = await asked('shell', { command: 'true' })
  assert.deepEqual(await question.locator('.answers > button').allInnerTexts(), ['Allow once', 'Allow for this session', 'Reject'])
  await page.context().close()
})

const picture = async (page, name) => { if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, name + '.png') }) }

for (const [name, options] of [['desktop', {}], ['phone', { viewport: { width: 360, height: 640 }, hasTouch: true, colorScheme: 'dark' }]]) {
  test(`Always allow shows the rule before it is added, on a ${name}`, async () => {
    const { page, id, dir, question } = await asked('shell', { command: `touch always-${name}` }, options)
    await ready(page)
    await question.getByLabel('More answers').click()
    await picture(page, `question-menu-${name}`)
    const hidden = await question.locator('.menu > div').evaluate((menu) => { // a menu that must be scrolled moves the answers, which are then inactive
      const [inside, around] = [menu, menu.closest('.scroll')].map((e) => e.getBoundingClientRect())
      return Math.max(0, around.top - inside.top) + Math.max(0, inside.bottom - around.bottom)
    })
    assert.equal(hidden, 0)
    await question.getByRole('button', { name: 'Always allow…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Always allow this?' })
    await dialog.waitFor()
    await picture(page, `always-${name}`)
    const text = await dialog.innerText()
    for (const part of ['shell', `touch always-${name}`, 'exactly this one']) assert.ok(text.includes(part), `${part} in ${text}`)
    assert.equal(await page.evaluate(() => document.activeElement.innerText), 'Cancel')
    assert.deepEqual(await serious(page), [])
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth <= innerWidth]), [true])
    await page.keyboard.press('Escape') // closes the dialog, does not stop the turn
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await answers(id), [])
    await ready(page)
    await question.getByLabel('More answers').click()
    await question.getByRole('button', { name: 'Always allow…' }).click()
    await dialog.getByRole('button', { name: 'Always allow' }).click()
    await page.locator('.badge.done').waitFor()
    assert.deepEqual(await answers(id), ['allow_always'])
    assert.ok(existsSync(join(dir, `always-${name}`)))
    await s.api('POST', `/v1/sessions/${id}/turns`, { text: call('shell', { command: `touch always-${name}` }) })
    await page.locator('.badge.done').nth(1).waitFor() // without a question
    assert.deepEqual(await answers(id), ['allow_always'])
    await page.context().close()
  })

  test(`Reject with a reason passes the reason to the model, on a ${name}`, async () => {
    const { page, id, dir, question } = await asked('shell', { command: 'touch rejected' }, options)
    await question.getByLabel('More answers').click()
    await question.getByRole('button', { name: 'Reject with a reason…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject with a reason' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Use a temporary file <b>instead</b>.')
    await picture(page, `reason-${name}`)
    assert.deepEqual(await serious(page), [])
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.locator('.badge.done').waitFor()
    const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
    assert.deepEqual(events.filter((e) => e.kind === 'question_answered').map((e) => [e.body.choice, e.body.reason]), [['reject', 'Use a temporary file <b>instead</b>.']])
    assert.match(events.find((e) => e.kind === 'tool_call_ended').body.result, /the user refused it: Use a temporary file <b>instead<\/b>\./)
    assert.ok(!existsSync(join(dir, 'rejected')))
    assert.deepEqual(page.context().watch.violations, [])
    await page.context().close()
  })
}

test('a question about a command shows its sandbox, its directory and why it is asked', async () => {
  const { page, question, id } = await asked('shell', { command: './server', background: true })
  const { questions: [{ text }] } = await s.api('GET', `/v1/turns/${(await s.api('GET', `/v1/sessions/${id}`)).turns[0].id}/questions`)
  const shown = await question.innerText()
  const sentence = text.split('\n')[1] // the sandbox of this machine, or that it has none
  assert.match(sentence, /^Sandbox \(.*with the network|^There is no sandbox on this machine/)
  assert.ok(shown.includes(sentence), shown)
  assert.match(shown, /Run this command in the background\?/)
  await page.context().close()
})

test('only an admin is offered to allow a command without the sandbox', async () => {
  const { page, id } = await s.at()
  const { dir } = await s.api('GET', `/v1/sessions/${id}`)
  await s.api('POST', `/v1/sessions/${id}/turns`, { text: call('shell', { command: 'false' }) + ' [then ' + call('shell', { command: 'false', without_sandbox: true }) + ']' })
  const question = page.locator('.question')
  await question.waitFor()
  if (/There is no sandbox/.test(await question.innerText())) return page.context().close() // then no command can leave it
  await ready(page)
  await question.getByRole('button', { name: 'Allow once' }).click()
  await page.locator('.question h3', { hasText: 'Run this command without the sandbox?' }).waitFor()
  const shown = await question.innerText()
  assert.match(shown, /Only a person with the scope admin can allow this/)
  assert.ok(shown.includes('Asked because it would run without the sandbox') && shown.includes(dir), shown)
  assert.equal(await question.getByRole('button', { name: /Allow/ }).count(), 0)
  await page.waitForFunction(() => document.querySelector('.answers button')?.getAttribute('aria-disabled') === 'false')
  await question.getByRole('button', { name: 'Reject' }).click()
  await question.waitFor({ state: 'detached' })
  assert.deepEqual(await answers(id), ['allow', 'reject'])
  await page.context().close()
})

test('joiners and fillers in a command are shown', async () => {
  const { page, question } = await asked('shell', { command: 'r\u200dm \u3164x; echo 👩\u200d👧' })
  assert.ok((await question.innerText()).includes('r\\u200Dm \\u3164x; echo 👩\u200d👧'), await question.innerText())
  await page.context().close()
})
