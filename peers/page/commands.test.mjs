// Commands typed into the page: they are executed and never sent to a model.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Stage, prompt, words } from './stage.mjs'

let s
before(async () => { s = await Stage.open() })
after(() => s?.close())

const box = (page) => page.getByRole('textbox', { name: 'Prompt', exact: true })

async function texts(id) {
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  return events.filter((e) => e.kind === 'turn_accepted').map((e) => e.body.text)
}

test('/stop while a turn runs stops it and is not queued', async () => {
  const { page, id } = await s.at()
  await prompt(page, '[slow 2000 20ms]')
  await words(page, 3)
  await prompt(page, 'waits')
  await page.getByRole('heading', { name: 'Queued 1' }).waitFor()
  await prompt(page, '/stop')
  await page.locator('.badge.stopped').waitFor()
  await page.getByRole('heading', { name: 'Held 1: not sent, because the turn was stopped' }).waitFor()
  assert.deepEqual(await texts(id), ['[slow 2000 20ms]', 'waits'])
  assert.equal(await box(page).inputValue(), '')
  await page.context().close()
})

test('/stop all also discards queued turns', async () => {
  const { page, id } = await s.at()
  await prompt(page, '[slow 2000 20ms]')
  await words(page, 3)
  await prompt(page, 'waits')
  await page.locator('.queue').waitFor()
  await prompt(page, '/STOP all')
  await page.locator('.badge.stopped').first().waitFor()
  await page.locator('.queue').waitFor({ state: 'detached' })
  assert.deepEqual((await s.api('GET', `/v1/sessions/${id}/queue`)).turns, [])
  assert.deepEqual(await texts(id), ['[slow 2000 20ms]', 'waits'])
  await page.context().close()
})

test('/stop without a running turn shows a message', async () => {
  const { page, id } = await s.at()
  await prompt(page, '/stop')
  await page.locator('.banner', { hasText: 'Nothing is running.' }).waitFor()
  assert.deepEqual(await texts(id), [])
  await page.context().close()
})

test('/mode, /model, /clear and /help take effect', async () => {
  const { page, id } = await s.at()
  await prompt(page, '/mode read-only')
  await page.locator('.top select[aria-label=Permissions] option:checked', { hasText: 'Read only' }).waitFor({ state: 'attached' })
  await prompt(page, '/model openai/other')
  await page.locator('.top select[aria-label=Model] option:checked', { hasText: 'openai/other' }).waitFor({ state: 'attached' })
  await prompt(page, '/model')
  await page.locator('.banner', { hasText: 'The model is openai/other.' }).waitFor()
  await prompt(page, '/help')
  await page.locator('.help', { hasText: '/mode NAME' }).waitFor()
  await prompt(page, 'hello')
  await page.locator('.badge.done').waitFor()
  await prompt(page, '/clear')
  await page.locator('.turn.cleared').waitFor()
  assert.deepEqual(await texts(id), ['hello'])
  await page.context().close()
})

test('/compact replaces the conversation with a summary, and is shown as it was typed', async () => {
  const { page, id } = await s.at()
  await prompt(page, 'hello')
  await page.locator('.badge.done').waitFor()
  await prompt(page, '/compact [slow 40 20ms]')
  const turn = page.locator('.turn').nth(1)
  await turn.locator('.prompt', { hasText: '/compact [slow 40 20ms]' }).waitFor()
  await turn.locator('.doing', { hasText: 'summarizing the conversation' }).waitFor()
  await turn.getByText('Earlier messages were summarized for the model.').waitFor()
  await turn.locator('.badge.done').waitFor()
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  const { task, text } = events.filter((e) => e.kind === 'turn_accepted')[1].body
  assert.deepEqual({ task, text }, { task: 'compact', text: '[slow 40 20ms]' })
  await turn.getByRole('button', { name: 'Retry' }).click()
  await page.locator('.turn').nth(2).locator('.badge.done').waitFor()
  assert.deepEqual((await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)).events.filter((e) => e.kind === 'turn_accepted').map((e) => e.body.task), [undefined, 'compact', 'compact'])
  await page.context().close()
})

test('/compact can be stopped, queued and edited', async () => {
  const { page, id } = await s.at()
  await prompt(page, 'hello')
  await page.locator('.badge.done').waitFor()
  await prompt(page, '/compact [slow 2000 20ms]')
  await page.locator('.doing', { hasText: 'summarizing' }).waitFor()
  await prompt(page, '/compact')
  await page.getByRole('heading', { name: 'Queued 1' }).waitFor()
  const queue = page.locator('.queue')
  assert.equal(await queue.locator('li p').innerText(), '/compact')
  await queue.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Queued prompt' })
  assert.equal(await editor.inputValue(), '/compact')
  await editor.fill('/compact the names')
  await page.keyboard.press('Enter')
  await queue.locator('li p', { hasText: '/compact the names' }).waitFor()
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).focus()
  await page.keyboard.press('Escape')
  await page.locator('.badge.stopped').waitFor()
  assert.equal(await page.getByText('Earlier messages were summarized').count(), 0)
  assert.equal((await s.api('GET', `/v1/sessions/${id}/queue`)).turns[0].text, '/compact the names')
  await page.context().close()
})

test('/compact goes to a hosted agent as text', async () => {
  const { page, id } = await s.at()
  await page.route(`**/v1/sessions/${id}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...await response.json(), agent: 'goose' } })
  })
  await page.reload()
  await page.locator('.facts', { hasText: 'goose' }).waitFor()
  const sent = page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/turns'))
  await prompt(page, '/compact the names')
  const { text, task } = (await sent).postDataJSON()
  assert.deepEqual({ text, task }, { text: '/compact the names', task: undefined })
  await page.context().close()
})

test('a refused command can be sent as text, with its files', async () => {
  const { page, id } = await s.at()
  await page.locator('input[type=file]').setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('content') }])
  await page.locator('.attached li').waitFor()
  await prompt(page, '/modle x')
  await page.getByRole('button', { name: 'Send as text' }).click()
  await page.locator('.badge.done').waitFor()
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  const sent = events.find((e) => e.kind === 'turn_accepted').body
  assert.equal(sent.text, '/modle x')
  assert.deepEqual(sent.files, [{ name: 'a.txt', text: 'content' }])
  assert.equal(await page.locator('.attached li, .banner').count(), 0)
  assert.equal(await page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue(), '')
  await page.context().close()
})

test('an unknown command is refused with the nearest one, and the draft is kept', async () => {
  const { page, id } = await s.at()
  await prompt(page, '/modle x')
  await page.locator('.banner', { hasText: 'unknown command /modle (did you mean /model?)' }).waitFor()
  await page.waitForFunction(() => document.getElementById('composer').value === '/modle x')
  assert.equal(await page.locator('.turn').count(), 0)
  assert.deepEqual(await texts(id), [])
  await page.context().close()
})

test('two slashes, a leading space and a path are sent as text, also when sent again', async () => {
  const { page, id } = await s.at()
  for (const [n, message] of ['//stop', ' /stop', '/etc/hosts is wrong'].entries()) {
    await prompt(page, message)
    await page.waitForFunction((n) => document.querySelectorAll('.badge.done').length === n, n + 1)
  }
  assert.deepEqual(await texts(id), ['/stop', ' /stop', '/etc/hosts is wrong'])
  await page.getByRole('button', { name: 'Retry' }).first().click()
  await page.waitForFunction(() => document.querySelectorAll('.badge.done').length === 4)
  assert.equal((await texts(id))[3], '/stop')
  await page.context().close()
})

test('a queued prompt cannot be edited into a command', async () => {
  const { page, id } = await s.at()
  await prompt(page, '[slow 2000 20ms]')
  await words(page, 3)
  await prompt(page, 'waits')
  await page.locator('.queue').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Queued prompt' }).fill('/stop')
  await page.keyboard.press('Enter')
  await page.locator('.banner', { hasText: '/stop is a command' }).waitFor()
  assert.equal((await s.api('GET', `/v1/sessions/${id}/queue`)).turns[0].text, 'waits')
  await page.context().close()
})

test('the start page executes commands and leaves no empty session', async () => {
  const page = await s.page()
  const count = async () => (await s.api('GET', '/v1/sessions?limit=100')).sessions.length
  const sessions = await count()
  await prompt(page, '/stop')
  await page.locator('.banner', { hasText: 'Nothing to stop' }).waitFor()
  await prompt(page, '/deploy')
  await page.locator('.banner', { hasText: 'unknown command /deploy' }).waitFor()
  await page.waitForFunction(() => document.getElementById('composer').value === '/deploy')
  while (await count() !== sessions) await page.waitForTimeout(50)
  await page.context().close()
})

test("a hosted agent's own work is shown as a note, without Retry and Edit", async () => {
  const { page, id } = await s.at()
  const turn = await s.api('POST', `/v1/sessions/${id}/turns`, { text: 'hello' })
  await page.locator(`[data-turn="${turn.id}"][data-state=done]`).waitFor()
  const { events } = await s.api('GET', `/v1/sessions/${id}/transcript?format=json`)
  const accepted = events.find((e) => e.kind === 'turn_accepted')
  Object.assign(accepted.body, { task: 'unprompted', text: 'The agent works without a prompt.' })
  await page.route('**/events?*', async (route) => {
    const since = Number(new URL(route.request().url()).searchParams.get('after'))
    await route.fulfill({ contentType: 'text/event-stream', body: events.filter((e) => e.seq > since).map((e) => `data: ${JSON.stringify(e)}\n\n`).join('') })
  })
  await page.reload()
  const article = page.locator(`[data-turn="${turn.id}"]`)
  await article.locator('.note').getByText('The agent works without a prompt.', { exact: true }).waitFor()
  assert.equal(await article.getByRole('button', { name: /^(Retry|Edit and resend)$/ }).count(), 0)
  await page.context().close()
})
