// Views without serious accessibility findings: in dark, and on a phone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { Stage } from './stage.mjs'

let s
before(async () => { s = await Stage.open({ config: `[mcp.forms]\ncommand = ["node", ${JSON.stringify(new URL('forms.mjs', import.meta.url).pathname)}]\n` }) })
after(() => s?.close())

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
const screens = { 'dark': { colorScheme: 'dark' }, 'phone': { ...phone, colorScheme: 'light' }, 'dark phone': { ...phone, colorScheme: 'dark' } }

/** The views: each opens a page, and returns it when it shows the view, with the turn that is still running. */
const views = {
  async 'composer with files, one of them refused'(options) {
    const { page } = await s.at(options)
    await page.locator('input[type=file]').setInputFiles([{ name: 'good.txt', mimeType: 'text/plain', buffer: Buffer.from('good') }, { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') }])
    await page.locator('.attached li', { hasText: 'good.txt' }).waitFor()
    await page.locator('.attached li', { hasText: 'report.pdf: not text or an image' }).waitFor()
    return { page }
  },
  async 'form question with an alert'(options) {
    const { page, id } = await s.at(options)
    const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, { text: '[tool mcp_forms_form {}]' })
    await page.getByLabel('Environment').waitFor()
    await page.waitForFunction(() => document.querySelector('.answers button')?.getAttribute('aria-disabled') === 'false')
    await page.locator('.question').getByRole('button', { name: 'Send' }).click()
    await page.locator('.question').getByRole('alert').waitFor()
    return { page, turn }
  },
  async 'settings with notifications'(options) {
    const page = await s.page(options)
    await page.goto(s.url + '/settings')
    await page.getByRole('checkbox', { name: 'Also while the page is closed' }).waitFor()
    return { page }
  },
  async 'compacted session'(options) {
    const { page, id } = await s.at(options)
    for (const body of [{ text: 'hello' }, { task: 'compact', text: '/compact the names' }]) {
      const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, body)
      await s.api('GET', `/v1/turns/${turn}?wait=20s`)
    }
    await page.getByText('Earlier messages were summarized for the model.').waitFor()
    await page.locator('.badge.done').nth(1).waitFor()
    return { page }
  },
}

for (const [view, open] of Object.entries(views)) {
  test(`${view}: no serious accessibility findings in dark and on a phone`, async () => {
    for (const [screen, options] of Object.entries(screens)) {
      const { page, turn } = await open(options)
      assert.deepEqual(await serious(page), [], screen)
      assert.deepEqual(page.context().watch.violations, [])
      if (turn) await s.api('POST', `/v1/turns/${turn}/stop`, {}) // the server can ask only while it has calls of one turn
      await page.context().close()
    }
  })
}
