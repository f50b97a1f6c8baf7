// Accessibility findings of a page, by axe.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** serious returns the serious and critical findings in the page as it is now. */
export async function serious(page) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  return violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id} ${v.nodes.map((n) => n.target).slice(0, 3)} ${v.nodes[0].failureSummary}`)
}
