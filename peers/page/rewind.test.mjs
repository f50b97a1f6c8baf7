// The conversation continues as it was before an earlier turn.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { overflow, Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const clean = { foreign: [], violations: [], dialogs: [], errors: [] }
const item = (article) => article.getByRole('button', { name: 'Rewind to before this turn…' })
const dialog = (page) => page.getByRole('dialog', { name: 'Rewind to before this turn?' })
const note = (page) => page.getByRole('note', { name: 'Rewind' })

/** turn runs a prompt to its end and returns the turn's part of the page. */
async function turn(page, id, text) {
  const made = await s.api('POST', `/v1/sessions/${id}/turns`, { text })
  const article = page.locator(`[data-turn="${made.id}"]`)
  await article.getByRole('button', { name: 'Timeline' }).waitFor()
  return article
}

async function openMenu(article) {
  await article.locator('summary[aria-label="Turn menu"]').click()
}

test('a turn is rewound after a confirmation, and taken back', async () => {
  const { page, id } = await s.at()
  const one = await turn(page, id, 'one')
  const two = await turn(page, id, 'two')
  const three = await turn(page, id, 'three')
  await openMenu(two)
  await item(two).click()
  await dialog(page).getByText('The turn and 1 later turn can still be seen here, but are no longer sent to the model.').waitFor()
  await dialog(page).getByText('Files stay as they are; undo their changes separately. You can take the rewind back.', { exact: true }).waitFor()
  assert.deepEqual(await serious(page), [])
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await dialog(page).waitFor({ state: 'detached' })
  assert.equal(await note(page).count(), 0)

  await openMenu(two)
  await item(two).click()
  await dialog(page).getByRole('button', { name: 'Rewind', exact: true }).click()
  await note(page).getByText('Rewound: 2 turns above are no longer part of the conversation. Files stayed as they are.', { exact: true }).waitFor()
  const cleared = async () => Promise.all([one, two, three].map((a) => a.evaluate((e) => e.classList.contains('cleared'))))
  assert.deepEqual(await cleared(), [false, true, true])
  assert.equal(await item(three).count(), 0, 'a turn that was removed cannot be rewound to')
  assert.deepEqual([await serious(page), await overflow(page)], [[], []])
  const four = await turn(page, id, 'four')
  assert.equal(await four.evaluate((e) => e.previousElementSibling.getAttribute('role')), 'note', 'the note is above the next turn')

  await page.reload()
  await note(page).getByRole('button', { name: 'Take back' }).click()
  await note(page).waitFor({ state: 'detached' })
  assert.deepEqual(await cleared(), [false, false, false])
  assert.deepEqual(page.context().watch, clean)
  await page.context().close()
})

test('a rewind while a turn runs is refused with the reason', async () => {
  const { page, id } = await s.at()
  const one = await turn(page, id, 'one')
  const running = await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[slow 4000 50ms]' })
  await page.locator(`[data-turn="${running.id}"] .head`).waitFor()
  await openMenu(one)
  await item(one).click()
  await dialog(page).getByRole('button', { name: 'Rewind', exact: true }).click()
  await page.locator('.banner').getByText('a turn of this session is running: stop it first').waitFor()
  assert.equal(await note(page).count(), 0)
  await s.api('POST', `/v1/turns/${running.id}/stop`, {})
  await page.context().close()
})
