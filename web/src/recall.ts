// The prompts that were sent from this browser, by owner and project. Another
// owner who logs in here has another list.

const mostPrompts = 100 // of a project
const mostProjects = 20
const mostLength = 4000 // of a prompt
const mostTotal = 400_000

type Book = [project: string, prompts: string[]][] // the project that was used last is first

const key = (owner: string) => 'bellcord.prompts.' + owner

function read(owner: string): Book {
  try {
    const had = JSON.parse(localStorage.getItem(key(owner)) ?? '[]')
    return Array.isArray(had) ? had.filter((e) => Array.isArray(e) && typeof e[0] === 'string' && Array.isArray(e[1])) : []
  } catch { return [] }
}

/** prompts returns the prompts of a project, the newest first. */
export function prompts(owner: string, project: string): string[] {
  return read(owner).find(([p]) => p === project)?.[1].filter((t) => typeof t === 'string') ?? []
}

/** remember adds a prompt. */
export function remember(owner: string, project: string, text: string) {
  if (text === '' || text.length > mostLength) return
  const book = read(owner)
  const had = prompts(owner, project)
  let out: Book = [[project, [text, ...had.filter((t) => t !== text)].slice(0, mostPrompts)], ...book.filter(([p]) => p !== project)]
  out = out.slice(0, mostProjects)
  while (out.length > 1 && JSON.stringify(out).length > mostTotal) out.pop()
  while (out[0]![1].length > 1 && JSON.stringify(out).length > mostTotal) out[0]![1].pop()
  try { localStorage.setItem(key(owner), JSON.stringify(out)) } catch { /* full, or no storage */ }
}

/** forgetPrompts removes all prompts of an owner from this browser. */
export function forgetPrompts(owner: string) {
  try { localStorage.removeItem(key(owner)) } catch { /* nothing was stored */ }
}

/** projectOf returns the project of a directory. All sessions without a project share one list. */
export const projectOf = (dir: string) => (/[\\/][0-9a-f]{8}-[0-9a-f-]{27}$/.test(dir) ? '' : dir)
