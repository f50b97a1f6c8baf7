// Draws the icons of the installed app from web/public/icon.svg: node icons.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

const folder = new URL('../../web/public/', import.meta.url)
const svg = readFileSync(new URL('icon.svg', folder), 'utf8')
// A maskable icon fills the square; the system cuts its corners and may cut a
// tenth of each side.
const maskable = svg.replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"').replace(/<rect width="32" height="32" rx="8"/, '<rect x="-4" y="-4" width="40" height="40"')

const browser = await chromium.launch({ executablePath: process.env.BELLCORD_BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
for (const [name, size, source] of [['icon-180', 180, maskable], ['icon-192', 192, svg], ['icon-512', 512, svg], ['icon-maskable', 512, maskable]]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${source}`)
  writeFileSync(new URL(`${name}.png`, folder), await page.screenshot({ omitBackground: true }))
}
await browser.close()
