// Forms: a question of an MCP server is filled in on the page, checked by the
// server, and withdrawn by a stop.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open({ config: `[mcp.forms]\ncommand = ["node", ${JSON.stringify(new URL('forms.mjs', import.meta.url).pathname)}]\n` }) })
after(() => s?.close())

/** asked starts a turn that opens a question of the MCP server. */
async function asked(tool, options) {
  const { page, id } = await s.at(options)
  const turn = await s.api('POST', `/v1/sessions/${id}/turns`, { text: `[tool mcp_forms_${tool} {}]` })
  const question = page.locator('.question')
  return { page, id, turn: turn.id, question }
}

const ready = (page) => page.waitForFunction(() => document.querySelector('.answers button')?.getAttribute('aria-disabled') === 'false')

async function events(id, kind) {
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  return events.filter((e) => e.kind === kind).map((e) => e.body)
}

test('a wrong answer names the field and stays; a right one reaches the server', async () => {
  const { page, id, question } = await asked('form')
  await question.waitFor()
  await ready(page)
  await question.getByRole('button', { name: 'Send' }).click()
  await question.getByRole('alert').waitFor()
  assert.equal(await question.getByRole('alert').textContent(), 'field "env" is required: expected one of dev, prod')
  await page.getByLabel('Environment').selectOption('prod')
  await page.getByLabel('Restart').selectOption('false')
  await page.getByLabel('Tuesday').check()
  await ready(page)
  await question.getByRole('button', { name: 'Send' }).click()
  await question.waitFor({ state: 'detached' })
  assert.deepEqual((await events(id, 'question_answered')).map((a) => [a.choice, a.values]), [['accept', { env: 'prod', sure: false, count: 3, days: ['tu'] }]])
  assert.deepEqual(page.context().watch.violations, [])
  await page.context().close()
})

test('of several questions each has its number, as long as there are several', async () => {
  const { page, turn, question } = await asked('both')
  await page.waitForFunction(() => document.querySelectorAll('.question').length === 2)
  assert.deepEqual(await question.locator('.number').allInnerTexts(), ['question 1 of 2', 'question 2 of 2'])
  await ready(page)
  await question.filter({ hasText: 'Which deployment?' }).getByRole('button', { name: 'Decline' }).click()
  await page.waitForFunction(() => document.querySelectorAll('.question').length === 1)
  assert.equal(await question.locator('.number').count(), 0)
  await s.api('POST', `/v1/turns/${turn}/stop`, {}) // a question is attributed to the only open call
  await page.context().close()
})

test('a stop removes the form, and a late answer is refused', async () => {
  const { page, id, turn, question } = await asked('form')
  await question.waitFor()
  const [{ question: q }] = await events(id, 'question_opened')
  await s.api('POST', `/v1/turns/${turn}/stop`, {})
  await question.waitFor({ state: 'detached' })
  await assert.rejects(s.api('POST', `/v1/turns/${turn}/answers/${q.id}`, { choice: 'decline' }), /409/)
  await page.context().close()
})

test('a page is shown with its host and its whole address, and is not opened', async () => {
  const { page, id, question } = await asked('page')
  await question.waitFor()
  assert.match(await question.textContent(), /login\.example\. Enter passwords and keys only there\..*https:\/\/login\.example\/\?session=1/)
  await ready(page)
  await question.getByRole('button', { name: 'Continue' }).click()
  await question.waitFor({ state: 'detached' })
  assert.deepEqual((await events(id, 'question_answered')).map((a) => a.choice), ['accept'])
  assert.deepEqual(page.context().watch.foreign, [])
  await page.context().close()
})

test('a form that requests a secret opens no question', async () => {
  const { page, id, turn } = await asked('secret')
  await s.api('GET', `/v1/turns/${turn}?wait=20s`)
  assert.deepEqual(await events(id, 'question_opened'), [])
  assert.match((await events(id, 'tool_call_ended'))[0].result, /secrets are only requested by URL/)
  await page.context().close()
})
