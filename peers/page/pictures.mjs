// Takes the screenshots of docs/page.md: node pictures.mjs FOLDER [all]
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stage } from './stage.mjs'

const folder = process.argv[2] ?? '../../docs/pictures'
// The screenshots that the docs use; any other argument takes all.
const shown = [
  'home', 'project', 'running', 'stopping', 'stopped', 'timeline', 'phone', 'question', 'undone', 'search', 'share', 'shortcuts', 'settings', 'operations', 'login',
]
const answer = `Three things stand out.

1. **The queue** is read once and kept. Later prompts never see it.
2. \`stop()\` returns before the child has exited, so its last write can land after the answer.
3. The test waits 200 ms and hopes.

\`\`\`go
func (t *Turn) Stop(cause Cause) Receipt {
	t.cancel(cause)
	<-t.done // nothing of the turn runs after this line
	return t.receipt
}
\`\`\`

| change | file | lines |
|---|---|---:|
| wait for the child | turn.go | 12 |
| re-read the queue | hub.go | 4 |

I would start with the second one, because it hides the others. `
const listing = 'trap "" TERM; for i in $(seq 1 400); do echo "ok   pkg/$i   0.0$((i % 9))s"; sleep 0.1; done'

const total = `package cart

// total returns the sum of the prices.
func total(items []Item) int {
	sum := 0
	for i := 1; i < len(items); i++ {
		sum += items[i].Price
	}
	return sum
}
`
const edit = { path: 'cart/total.go', old: 'for i := 1; i < len(items); i++ {', new: 'for i := 0; i < len(items); i++ {' }

// Renames a function in two of three files, and then hangs.
const rename = `cd cart && sed -i 's/total(/sum(/' total.go && mv total.go sum.go && sed -i 's/total(/sum(/' order.go && echo "2 of 3 files" && sleep 600`
const order = `package cart

// pay charges the total of an order.
func (o Order) pay() error {
	return o.charge(total(o.items))
}
`

const tasks = [
  'Find out why the nightly build is red', 'Update the changelog', 'Port the parser to the new API', 'Explain the lease in three sentences',
  'Look for places that ignore an error', 'Write a test for the empty queue', 'Make the start faster', 'Go through the open issues and sort them',
  'Translate the errors into plain words', 'Check the links in docs/', 'Review the last ten commits', 'Draw the state machine',
]

// The home has two projects. It is drawn as anna's.
const home = realpathSync(mkdtempSync(join(tmpdir(), 'bch')))
const shop = join(home, 'src', 'shop')
const site = join(home, 'src', 'site')
for (const dir of [shop, site]) {
  mkdirSync(join(dir, '.git'), { recursive: true })
  writeFileSync(join(dir, '.git', 'HEAD'), 'ref: refs/heads/main\n')
}
const earlier = [
  ['Why does the build take so long?', shop, 'The build compiles the generated code twice.'],
  ['Release notes for 0.4', site, 'Done. The notes name the new stop of hosted agents first.'],
  ['Rename Session to Conversation', shop, 'Done. I renamed it in 14 files; a stop still names the session in its log.'],
]

const taken = []
const s = await Stage.open({ args: ['--dir', join(home, 'src')] })
try {
  const page = await s.page({ viewport: { width: 1100, height: 760 }, colorScheme: 'light' })
  const take = async (name, of = page) => {
    if (!process.argv[3] && !shown.includes(name)) return
    await of.evaluate((home) => {
      const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (all.nextNode()) if (all.currentNode.data.includes(home)) all.currentNode.data = all.currentNode.data.replaceAll(home, '/home/anna')
    }, home)
    const path = join(folder, name + '.png')
    await of.screenshot({ path })
    taken.push(path)
  }
  for (const [title, dir, says] of earlier) {
    const id = await s.session({ title, dir })
    const { id: turn } = await s.api('POST', `/v1/sessions/${id}/turns`, { text: `${title} [say ${says}] [usage 812 40]` })
    await s.api('GET', `/v1/turns/${turn}?wait=30s`)
  }
  await page.reload()
  await page.locator('.sessions li a').nth(2).waitFor()
  await take('home')
  await page.locator('.project button').first().click()
  await page.getByRole('dialog', { name: 'Choose a project' }).getByRole('button', { name: 'Scratch folder' }).waitFor()
  await take('project')
  await page.keyboard.press('Escape')
  const id = await s.session({ title: 'Review the stop', dir: shop })
  await page.goto(`${s.url}/s/${id}`)
  const tool = JSON.stringify({ command: listing })
  await s.api('POST', `/v1/sessions/${id}/turns`, { text: `Read turn.go and hub.go, then tell me what is wrong with the stop. [say ${answer}] [think 40 5ms] [usage 4812 640]` })
  await page.locator('[data-state=done]').waitFor()
  await s.api('POST', `/v1/sessions/${id}/turns`, { text: `Good. Run all the tests now. [say The tests are under way, all packages at once:] [tool shell ${tool}] [tool shell {"command":"make lint"}]` })
  await page.locator('.tool.running .output').waitFor()
  await page.waitForFunction(() => (document.querySelector('.tool.running .output')?.textContent.length ?? 0) > 400)
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Then write the fix for the second one.')
  await page.keyboard.press('Enter')
  await page.locator('.queue li').waitFor()
  await take('running')
  await page.keyboard.press('Escape')
  await page.locator('.head.stopping').waitFor()
  await take('stopping')
  await page.locator('.badge.stopped').waitFor()
  await page.waitForTimeout(400)
  await take('stopped')
  await page.getByRole('button', { name: 'Timeline' }).last().click()
  await page.locator('.timeline').waitFor()
  await page.waitForTimeout(200)
  await take('timeline')

  const phone = await s.page({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, colorScheme: 'dark', hasTouch: true, isMobile: true })
  await take('phone-home', phone)
  await phone.goto(`${s.url}/s/${id}`)
  await phone.locator('.badge.stopped').waitFor()
  await phone.waitForTimeout(300)
  await phone.locator('.badge.stopped').evaluate((e) => { const box = e.closest('.scroll'); box.scrollTop += e.getBoundingClientRect().top - box.getBoundingClientRect().top - 8 }) // the end of the turn is longer than the screen
  await phone.waitForTimeout(300)
  await take('phone', phone)

  const asks = await s.session({ title: 'Fix totals', dir: shop })
  await s.api('POST', `/v1/sessions/${asks}/turns`, { text: `Write cart/total.go. [tool write_file ${JSON.stringify({ path: 'cart/total.go', content: total })}]` })
  await page.goto(`${s.url}/s/${asks}`)
  await page.locator('.badge.done').waitFor()
  await s.api('PATCH', `/v1/sessions/${asks}`, { mode: 'ask' })
  await s.api('POST', `/v1/sessions/${asks}/turns`, { text: `The first item is missing in the total. [say The loop starts at the second item.] [tool edit_file ${JSON.stringify(edit)}]` })
  await page.locator('.question .hl-keyword').first().waitFor()
  await page.waitForFunction(() => document.querySelector('.answers button')?.getAttribute('aria-disabled') === 'false')
  await take('question')
  await phone.goto(`${s.url}/s/${asks}`)
  await phone.locator('.question').waitFor()
  await phone.waitForTimeout(1000)
  await take('phone-question', phone)

  const renames = await s.session({ title: 'Rename total', dir: shop })
  const { dir } = await s.api('GET', `/v1/sessions/${renames}`)
  mkdirSync(join(dir, 'cart'), { recursive: true })
  writeFileSync(join(dir, 'cart', 'total.go'), total)
  writeFileSync(join(dir, 'cart', 'order.go'), order)
  const started = await s.api('POST', `/v1/sessions/${renames}/turns`, { text: `Rename total to sum everywhere. [say Renaming it in all files.] [tool shell ${JSON.stringify({ command: rename })}]` })
  await page.goto(`${s.url}/s/${renames}`)
  const turn = page.locator(`[data-turn="${started.id}"]`)
  await turn.getByText('2 of 3 files').last().waitFor()
  await page.keyboard.press('Escape')
  await turn.locator('.changed summary').click()
  await turn.getByRole('button', { name: 'Diff of cart/order.go' }).click()
  await turn.locator('.changes .hl-keyword').first().waitFor()
  await turn.getByRole('button', { name: 'Undo 3 files…' }).click()
  await page.getByRole('dialog').getByRole('list').waitFor()
  await take('undoing')
  await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click()
  await turn.getByRole('button', { name: 'Redo' }).waitFor()
  await page.locator('.scroll').evaluate((e) => { e.scrollTop = e.scrollHeight })
  await page.waitForTimeout(300)
  await take('undone')
  await page.goto(`${s.url}/search?q=stop`)
  await page.locator('.hits mark').first().waitFor()
  await take('search')
  await page.goto(`${s.url}/s/${id}`)
  await page.locator('.badge.stopped').waitFor()
  await page.getByLabel('Session menu').click()
  await page.getByRole('button', { name: 'Share…' }).click()
  const sharing = page.locator('dialog.sharing')
  await sharing.getByRole('button', { name: 'Create link' }).click()
  await sharing.getByLabel('Link', { exact: true }).waitFor()
  await take('share')
  await page.goto(`${s.url}/settings`)
  await page.getByText('signed in in').waitFor()
  await take('settings')
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  await take('shortcuts')
  await phone.goto(`${s.url}/settings`)
  await phone.getByText('signed in in').waitFor()
  await take('phone-settings', phone)
  for (let i = 0; i < 12; i++) {
    const other = await s.session({ dir: i % 3 ? shop : site })
    const turn = await s.api('POST', `/v1/sessions/${other}/turns`, { text: `${tasks[i]} [slow 4000 100ms]` })
    if (i < 7) await s.api('POST', `/v1/turns/${turn.id}/stop`)
  }
  await page.goto(`${s.url}/ops`)
  await page.locator('.live li').first().waitFor()
  await page.waitForTimeout(2500)
  await take('operations')
  await phone.goto(`${s.url}/ops`)
  await phone.locator('.live li').first().waitFor()
  await take('phone-operations', phone)
  const stranger = await (await s.context({ viewport: { width: 700, height: 560 } })).newPage()
  const { code } = await s.api('POST', '/v1/codes', {})
  await stranger.goto(`${s.url}/login#${code}`)
  await stranger.getByRole('button', { name: 'Log in' }).waitFor()
  await take('login', stranger)
  console.log(JSON.stringify([page.context().watch, phone.context().watch]))
} finally {
  await s.close()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}
spawnSync('optipng', ['-quiet', '-o2', ...taken]) // makes the files smaller, where it is installed
