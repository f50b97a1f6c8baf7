// Fails if sources of the page import each other in a circle. Imports of types
// and imports on demand count, too: neither source can be understood alone.
import { readdirSync, readFileSync } from 'node:fs'

const src = new URL('src/', import.meta.url)
const imports = new Map(readdirSync(src).filter((f) => /\.tsx?$/.test(f)).map((f) => [
  f.replace(/\.tsx?$/, ''),
  [...readFileSync(new URL(f, src), 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"]\.\/([\w-]+)['"]/g)].map((m) => m[1]),
]))

const visited = new Set()

function visit(name, path) {
  if (path.includes(name)) {
    console.error(`web/src: circle of imports: ${[...path.slice(path.indexOf(name)), name].join(' → ')}; move what they share to a module of its own`)
    process.exitCode = 1
  } else if (!visited.has(name)) {
    for (const other of imports.get(name) ?? []) visit(other, [...path, name])
    visited.add(name)
  }
}

for (const name of imports.keys()) visit(name, [])
