// The choice of a project on the start page.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { Stage, prompt } from './stage.mjs'

let s, base
before(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bcw')))
  for (const dir of ['src/shop/cart', 'src/shop/.git', 'src/site', 'src/.cache', 'other/secret', 'anna/notes']) mkdirSync(join(base, dir), { recursive: true })
  writeFileSync(join(base, 'src/shop/.git/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(base, 'src/shop/cart/total.txt'), 'seven')
  symlinkSync(join(base, 'other'), join(base, 'src/way-out'))
  s = await Stage.open({ args: ['--dir', join(base, 'src')], config: `[serve.owner_dirs]\nanna = [${JSON.stringify(join(base, 'anna'))}]\n` })
})
after(async () => { await s?.close(); rmSync(base, { recursive: true, force: true }) })

const menu = (page) => page.locator('.project button').first()

test('a folder is browsed, chosen, and worked in; it is then a recent project', async () => {
  const page = await s.page()
  await menu(page).click()
  const dialog = page.getByRole('dialog', { name: 'Choose a project' })
  await dialog.getByRole('button', { name: 'Browse…' }).click()
  await dialog.getByRole('button', { name: join(base, 'src') }).click()
  await dialog.getByRole('button', { name: 'shop', exact: true }).waitFor()
  const folders = dialog.getByRole('group', { name: 'Folders' })
  assert.equal(await folders.innerText(), 'shop\nsite') // neither hidden folders nor the link that leads out, and no way up
  await dialog.getByLabel('Show hidden folders').check()
  await dialog.getByRole('button', { name: '.cache' }).waitFor()
  await dialog.getByRole('button', { name: 'shop', exact: true }).click()
  await dialog.getByRole('button', { name: 'cart' }).waitFor()
  await dialog.getByRole('button', { name: 'Use this folder' }).click()
  assert.equal(await menu(page).innerText(), join(base, 'src/shop') + ' ▾')
  await prompt(page, '[tool shell {"command":"pwd; cat cart/total.txt"}]')
  await page.locator('.badge.done').waitFor()
  const id = page.url().slice(-36)
  assert.equal((await s.api('GET', `/v1/sessions/${id}`)).dir, join(base, 'src/shop'))
  await page.locator('.tool summary').click()
  assert.match(await page.locator('.tool').innerText(), new RegExp(`${base}/src/shop\\s+seven`))
  await page.goto(s.url)
  await menu(page).click()
  await dialog.getByRole('region', { name: 'Recent' }).getByRole('button', { name: `${base}/src/shop (main)` }).click()
  assert.match(await menu(page).innerText(), /shop \(main\) ▾/)
  await page.context().close()
})

test('the keyboard filters the projects; a scratch folder is last', async () => {
  const page = await s.page()
  await menu(page).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Choose a project' })
  await dialog.getByRole('searchbox').fill('nothing like this')
  await dialog.getByText('No project matches.').waitFor()
  const names = await dialog.locator('button').allInnerTexts()
  assert.match(names.at(-1), /^Scratch folder/)
  await dialog.getByRole('searchbox').fill(join(base, 'other'))
  await dialog.getByRole('button', { name: `Open ${join(base, 'other')}` }).click()
  await dialog.getByText('no such directory, or you may not use it').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Use this folder' }).isDisabled())
  await page.keyboard.press('Escape')
  assert.equal(await dialog.count(), 0)
  assert.ok(await menu(page).evaluate((b) => b === document.activeElement))
  await page.context().close()
})

test('without the scope admin, the menu has the folders of --dir and of the owner, and no others', async () => {
  await s.session({ dir: join(base, 'other') }) // a project of the admin
  for (const [owner, dirs] of [['anna', [join(base, 'src'), join(base, 'anna')]], ['ben', [join(base, 'src')]]]) {
    const page = await (await s.context()).newPage()
    const token = s.tokenOf(owner)
    await s.login(page, {}, token)
    await menu(page).click()
    const dialog = page.getByRole('dialog', { name: 'Choose a project' })
    assert.deepEqual(await dialog.getByRole('region', { name: 'Directories' }).getByRole('button').allInnerTexts(), dirs)
    assert.equal(await dialog.getByRole('region', { name: 'Recent' }).count(), 0)
    await dialog.getByRole('button', { name: 'Browse…' }).click()
    const folders = dialog.getByRole('group', { name: 'Folders' })
    await folders.getByRole('button').first().waitFor()
    assert.deepEqual(await folders.getByRole('button').allInnerTexts(), dirs)
    await assert.rejects(s.api('POST', '/v1/sessions', { dir: join(base, 'other') }, token), /no such directory, or you may not use it/)
    await page.context().close()
  }
})

test('the menu has no serious accessibility findings, fits a phone, and violates no policy', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await s.page({ viewport: { width: 360, height: 640 }, colorScheme })
    await menu(page).click()
    await page.getByRole('button', { name: 'Browse…' }).click()
    await page.getByRole('button', { name: join(base, 'src') }).click()
    await page.getByRole('button', { name: 'shop', exact: true }).waitFor()
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), [360, 360])
    if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `project-${colorScheme}.png`) })
    assert.deepEqual(await serious(page), [])
    assert.deepEqual(page.context().watch.violations, [])
    await page.context().close()
  }
})
