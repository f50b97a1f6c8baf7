// Files attached to a prompt.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const text = (name, content) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

async function prompted(id) {
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  return events.find((e) => e.kind === 'turn_accepted').body
}

test('three files attached at once all arrive, and text files are chips', async () => {
  const { page, id } = await s.at()
  const box = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await box.fill('look at these')
  await page.locator('input[type=file]').setInputFiles([text('one.txt', 'first\n'), text('two.md', 'a ````` fence'), { name: 'dot.png', mimeType: 'image/png', buffer: pixel }])
  await page.waitForFunction(() => document.querySelectorAll('.attached li').length === 3)
  assert.match(await page.locator('.attached').innerText(), /one\.txt\s+6 B[^]*two\.md\s+13 B[^]*dot\.png/)
  assert.equal(await box.inputValue(), 'look at these')
  await box.press('Enter')
  await page.locator('.badge.done').waitFor()
  const sent = await prompted(id)
  assert.equal(sent.text, 'look at these')
  assert.deepEqual(sent.files, [{ name: 'one.txt', text: 'first\n' }, { name: 'two.md', text: 'a ````` fence' }])
  assert.equal(sent.images.length, 1)
  assert.match(await page.locator('.answer').innerText(), /look at these[^]*one\.txt[^]*first/) // the model, which repeats the prompt, got the files
  assert.equal(await page.locator('.attached').count(), 0)
  await page.context().close()
})

test('binary files are refused with a message and are not sent', async () => {
  const { page, id } = await s.at()
  await page.locator('input[type=file]').setInputFiles([
    { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 plain') },
    text('nul.txt', 'a\0b'), { name: 'latin.txt', mimeType: 'text/plain', buffer: Buffer.from([0x63, 0x61, 0x66, 0xe9]) }, text('good.txt', 'good'),
  ])
  await page.waitForFunction(() => document.querySelectorAll('.attached li').length === 4)
  for (const name of ['report.pdf', 'nul.txt', 'latin.txt']) assert.match(await page.locator('.attached li', { hasText: name }).innerText(), new RegExp(`${name.replace('.', '\\.')}: not text or an image\\s*Remove`))
  await page.getByRole('button', { name: 'Remove report.pdf' }).click()
  assert.equal(await page.locator('.attached li').count(), 3)
  await page.locator('[data-action=send]').click()
  await page.locator('.badge.done').waitFor()
  const sent = await prompted(id)
  assert.equal(sent.text, 'See good.txt.')
  assert.deepEqual(sent.files, [{ name: 'good.txt', text: 'good' }])
  await page.context().close()
})
