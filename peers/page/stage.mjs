// A real server with a fake model, and a real browser.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as patience } from 'node:timers/promises'
import { chromium } from 'playwright-core'

const program = process.env.BELLCORD_BIN ?? new URL('../../bin/bellcord', import.meta.url).pathname
const browserAt = process.env.BELLCORD_BROWSER ?? '/usr/bin/chromium'

/** started starts a program. found resolves to the first value that find returns for a line of its output. */
function started(args, env, find) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const found = new Promise((resolve, reject) => {
    const look = (line) => { const word = find(line); if (word) resolve(word) }
    createInterface({ input: child.stdout }).on('line', look)
    createInterface({ input: child.stderr }).on('line', look)
    gone.then(() => reject(new Error(`${args[0]} ended before it was ready`)))
  })
  found.catch(() => {})
  return { child, gone, found }
}

export class Stage {
  static async open(options = {}) {
    const s = new Stage()
    s.data = mkdtempSync(join(tmpdir(), 'bcp'))
    s.model = started(['dev', 'fakemodel', '--addr', '127.0.0.1:0'], {}, (line) => /(http:\/\/[\d.:]+)/.exec(line)?.[1])
    s.modelURL = await s.model.found
    s.addr = '127.0.0.1:0'
    s.mode = options.mode ?? 'full'
    s.args = options.args ?? []
    if (options.config) {
      mkdirSync(join(s.data, 'bellcord'))
      writeFileSync(join(s.data, 'bellcord', 'config.toml'), options.config)
    }
    await s.serve()
    s.browser = await chromium.launch({ executablePath: browserAt, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] })
    return s
  }

  /** serve starts the server; later calls reuse the first address. */
  async serve() {
    this.server = started(['serve', '--addr', this.addr, '--data-dir', this.data, '--mode', this.mode, ...this.args], {
      OPENAI_API_KEY: 'x', OPENAI_BASE_URL: this.modelURL.replace(/\/v1$/, '') + '/v1', BELLCORD_MODEL: 'openai/fake', XDG_CONFIG_HOME: this.data,
    }, (line) => { try { const said = JSON.parse(line); return said.msg === 'serving' && said.url } catch { return undefined } })
    this.url = await this.server.found
    this.addr = new URL(this.url).host
    this.token = readFileSync(join(this.data, 'token'), 'utf8').trim()
  }

  async kill() { this.server.child.kill('SIGKILL'); await this.server.gone }

  /** tokenOf creates a token for an owner, who gets these scopes only. */
  tokenOf(owner, scope = 'read,prompt,stop') {
    return execFileSync(program, ['token', 'create', '--owner', owner, '--scope', scope, '--data-dir', this.data], { encoding: 'utf8', env: { ...process.env, XDG_CONFIG_HOME: this.data }, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  }

  /** api sends a request to the server, with its admin token if no other is given. */
  async api(method, path, body, token = this.token) {
    const response = await fetch(this.url + path, {
      method, headers: { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body && JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }

  /** context opens a browser context that is logged in by a code. Requests to other hosts and policy violations are recorded. */
  async context(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1100, height: 760 }, ...options })
    const watch = { foreign: [], violations: [], dialogs: [], errors: [] }
    context.on('request', (r) => { if (!r.url().startsWith(this.url + '/') && !r.url().startsWith('data:')) watch.foreign.push(r.url()) })
    await context.exposeFunction('reportViolation', (what) => watch.violations.push(what))
    await context.addInitScript(() => document.addEventListener('securitypolicyviolation', (e) => globalThis.reportViolation(`${e.violatedDirective} ${e.blockedURI}`)))
    context.on('page', (page) => {
      page.on('dialog', (d) => { watch.dialogs.push(d.message()); void d.dismiss() })
      page.on('pageerror', (e) => watch.errors.push(String(e)))
    })
    context.watch = watch
    return context
  }

  async login(page, wanted = {}, token = this.token) {
    const { code } = await this.api('POST', '/v1/codes', wanted, token)
    await page.goto(`${this.url}/login#${code}`)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
  }

  /** page opens a tab that is logged in. */
  async page(options) {
    const context = await this.context(options)
    const page = await context.newPage()
    await this.login(page)
    return page
  }

  /** at opens a new session in a new tab. */
  async at(options, more) {
    const page = await this.page(options)
    const id = await this.session(more)
    await page.goto(`${this.url}/s/${id}`)
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor()
    await page.getByText('No messages yet.').waitFor() // the page has read the session, and keeps its prompts
    return { page, id }
  }

  async session(more = {}) { return (await this.api('POST', '/v1/sessions', more)).id }

  async close() {
    await this.browser?.close()
    this.server?.child.kill('SIGTERM')
    await Promise.race([this.server?.gone, patience(5000, undefined, { ref: false })])
    this.server?.child.kill('SIGKILL')
    this.model?.child.kill('SIGKILL')
    rmSync(this.data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** words waits until the last answer contains the given number of the fake model's words. */
export const words = (page, n) => page.waitForFunction((n) => (document.querySelector('.turn:last-child .prose')?.textContent.match(/word\d+/g)?.length ?? 0) >= n, n)

/** prompt types a prompt and sends it. */
export async function prompt(page, text) {
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** keyed presses Tab until the focused element has a name that starts with the given one. */
export async function keyed(page, name, most = 60) {
  for (let i = 0; i < most; i++) {
    const on = await page.evaluate(() => { const e = document.activeElement; return (e.getAttribute('aria-label') ?? e.innerText ?? e.value ?? '').trim() })
    if (on.startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`nothing called ${name} has a place in the order of focus`)
}

/** overflow returns the elements that are wider than the screen, except those inside of an element that scrolls. */
export const overflow = (page) => page.evaluate(() => {
  const wide = document.documentElement.clientWidth
  const found = []
  if (document.documentElement.scrollWidth > wide) found.push(`page ${document.documentElement.scrollWidth} of ${wide}`)
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg, .hidden, .skip') || e.closest('dialog:not([open])')) continue
    const r = e.getBoundingClientRect()
    if (r.width === 0 || r.right <= wide + 1 && r.left >= -1) continue
    let scrolls = false
    for (let p = e.parentElement; p && !scrolls; p = p.parentElement) scrolls = ['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX) && p.getBoundingClientRect().right <= wide + 1
    if (!scrolls) found.push(`${e.tagName}.${e.className} ${Math.round(r.left)}…${Math.round(r.right)} of ${wide}`)
  }
  return found
})
