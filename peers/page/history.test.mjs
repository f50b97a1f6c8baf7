// Earlier prompts with the arrow keys, and files of a sent prompt.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage, prompt } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const box = (page) => page.getByRole('textbox', { name: 'Prompt', exact: true })

/** loggedInAs waits until the page has read its owner, to whom prompts belong. */
const loggedInAs = (page, owner) => page.waitForFunction((owner) => document.querySelector('.sessions footer')?.textContent.includes(owner), owner)

test('Up and Down show earlier prompts, also in another session, and keep the draft', async () => {
  const { page } = await s.at()
  for (const [i, text] of ['first', 'second\nline', 'third'].entries()) {
    await prompt(page, text)
    await page.locator('.badge.done').nth(i).waitFor()
  }
  await page.goto(`${s.url}/s/${await s.session()}`)
  await page.locator('.empty').first().waitFor()
  await box(page).fill('draft')
  const press = async (key, want) => {
    await box(page).press(key)
    await page.waitForFunction((want) => document.getElementById('composer').value === want, want)
  }
  await press('ArrowUp', 'third')
  await press('ArrowUp', 'second\nline')
  await press('ArrowUp', 'first')
  await press('ArrowUp', 'first')
  await press('ArrowDown', 'second\nline')
  await press('ArrowUp', 'second\nline') // moves to the first line
  await press('End', 'second\nline')
  await press('ArrowDown', 'second\nline') // moves to the last line
  await press('End', 'second\nline')
  await press('ArrowDown', 'third')
  await press('ArrowDown', 'draft')
  await press('ArrowDown', 'draft')
  await press('ArrowUp', 'third')
  await page.keyboard.type('x')
  await press('ArrowUp', 'third') // an edited prompt is the new draft
  await press('ArrowDown', 'xthird')
  await page.context().close()
})

test('another owner in the same browser does not get the prompts; they can be cleared', async () => {
  const { page } = await s.at()
  await prompt(page, 'a secret of admin')
  await page.locator('.badge.done').waitFor()
  const kept = await page.evaluate(() => Object.keys(localStorage))
  assert.ok(kept.includes('bellcord.prompts.admin'), kept.join())
  await page.route('**/v1/me', async (route) => { // the same browser, logged in as another owner
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...await response.json(), owner: 'anna' } })
  })
  await page.goto(s.url)
  await loggedInAs(page, 'anna')
  await box(page).press('ArrowUp')
  assert.equal(await box(page).inputValue(), '')
  await prompt(page, 'of anna')
  await page.locator('.badge.done').waitFor()
  await page.unroute('**/v1/me')
  await page.goto(s.url)
  await loggedInAs(page, 'admin')
  await box(page).press('ArrowUp')
  assert.equal(await box(page).inputValue(), 'a secret of admin')
  await page.goto(s.url + '/settings')
  await page.getByRole('button', { name: 'Clear prompt history' }).click()
  assert.deepEqual(await page.evaluate(() => [localStorage.getItem('bellcord.prompts.admin'), !!localStorage.getItem('bellcord.prompts.anna')]), [null, true])
  await page.context().close()
})

test('the list of prompts is bounded and survives a broken storage', async () => {
  const { page } = await s.at()
  await page.evaluate(() => localStorage.setItem('bellcord.prompts.admin', JSON.stringify([['', Array.from({ length: 500 }, (_, i) => `p${i} ` + 'x'.repeat(3000))], ...Array.from({ length: 50 }, (_, i) => [`/p${i}`, ['x']])])))
  await prompt(page, 'newest')
  await page.locator('.badge.done').waitFor()
  const kept = await page.evaluate(() => { const raw = localStorage.getItem('bellcord.prompts.admin'); const all = JSON.parse(raw); return [all.length <= 20, all[0][1].length <= 100, all[0][1][0], raw.length <= 400_000] })
  assert.deepEqual(kept, [true, true, 'newest', true])
  for (const bad of ['{', '{}', '[[1,2]]', '[["",[1,null]]]']) {
    await page.evaluate((bad) => localStorage.setItem('bellcord.prompts.admin', bad), bad)
    await box(page).press('ArrowUp')
    assert.equal(await box(page).inputValue(), '', bad)
  }
  assert.deepEqual(page.context().watch.errors, [])
  await page.context().close()
})

test('text files of a sent prompt are chips; Edit and resend attaches them again', async () => {
  const { page, id } = await s.at()
  await box(page).fill('look')
  await page.locator('input[type=file]').setInputFiles([
    { name: 'a.go', mimeType: 'text/plain', buffer: Buffer.from('package a // `````\n') }, { name: 'b: c.txt', mimeType: 'text/plain', buffer: Buffer.from('x\n\na.txt:\n````\nnot a file\n') },
  ])
  await page.locator('.attached li').nth(1).waitFor()
  await box(page).press('Enter')
  await page.locator('.badge.done').waitFor()
  assert.equal(await page.locator('.prompt > p').innerText(), 'look')
  assert.deepEqual((await page.locator('.prompt .sent-file summary').allInnerTexts()).map((t) => t.replace(/\s+/g, ' ')), ['a.go 19 B', 'b: c.txt 26 B'])
  await page.locator('.sent-file summary').first().click()
  assert.equal((await page.locator('.sent-file pre').first().innerText()).trim(), 'package a // `````')
  await page.getByRole('button', { name: 'Edit and resend' }).click()
  assert.equal(await box(page).inputValue(), 'look')
  await page.locator('.attached li').nth(1).waitFor()
  await box(page).press('Enter')
  await page.locator('.badge.done').nth(1).waitFor()
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  const texts = events.filter((e) => e.kind === 'turn_accepted').map((e) => e.body.text)
  assert.equal(texts[0], texts[1])
  await page.context().close()
})
