// The list of sessions: by project and day.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const day = 86_400_000

/** list returns the lines of the list of sessions: headings of days, and titles. */
async function list(page) {
  await page.locator('.sessions li a').first().waitFor()
  return page.locator('.sessions .day, .sessions .title').allInnerTexts()
}

test('sessions of earlier days are below a heading of their day, those of today have none', async () => {
  for (const title of ['first', 'second', 'third']) await s.session({ title })
  const noon = new Date().setHours(12, 0, 0, 0)
  const page = await s.page()
  for (const [days, heading] of [[0, []], [1, ['Yesterday']], [2, [new Date().toLocaleDateString('en-US', { day: 'numeric', month: 'long' })]]]) {
    await page.clock.setFixedTime(noon + days * day)
    await page.reload()
    assert.deepEqual(await list(page), [...heading, 'third', 'second', 'first'], `${days} days later`)
  }
  await page.context().close()
})

test('a session of yesterday is below those of today, under its own heading', async () => {
  const page = await s.page()
  await page.route('**/v1/sessions?*', async (route) => { // the server has no sessions of yesterday
    const response = await route.fetch()
    const body = await response.json()
    for (const found of body.sessions) if (found.title !== 'third') found.updated = new Date(Date.parse(found.updated) - day).toISOString()
    await route.fulfill({ response, json: body })
  })
  await page.reload()
  assert.deepEqual(await list(page), ['third', 'Yesterday', 'second', 'first'])
  await page.context().close()
})
