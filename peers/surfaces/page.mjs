// A real browser on the page, told what to do line by line: one question of JSON
// in, one answer of JSON out.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const { chromium } = createRequire(new URL('../page/package.json', import.meta.url))('playwright-core')
const browser = await chromium.launch({ executablePath: process.env.BELLCORD_BROWSER, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: 1100, height: 760 } })
page.setDefaultTimeout(20000)

const turn = (id) => page.locator(`[data-turn="${id}"]`)

const deeds = {
  async login({ address }) {
    await page.goto(address)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  },
  async open({ address }) {
    await page.goto(address)
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor()
  },
  async prompt({ text }) {
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(text)
    await page.keyboard.press('Enter')
  },
  stop: ({ id }) => turn(id).locator('.head button.stop').click(),
  /** look is what a person sees of a turn now. */
  look: ({ id }) => page.evaluate((id) => {
    const seen = (what) => document.querySelector(`[data-turn="${id}"] ${what}`)?.innerText ?? ''
    return { prompt: seen('.prompt'), answer: seen('.answer'), badge: seen('.badge'), ending: seen('.ending') }
  }, id),
  /** read is a receipt as the browser reads it with its own login. */
  read: ({ path }) => page.evaluate(async (path) => (await (await import('/client.js')).send(path)).text(), path),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { deed, ...more } = JSON.parse(line)
  const answer = await deeds[deed](more).then((value) => ({ value }), (err) => ({ error: String(err) }))
  process.stdout.write(JSON.stringify(answer) + '\n')
}
await browser.close()
