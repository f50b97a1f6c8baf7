import { visible } from './visible'
import type { Session } from './words'

// Directories as the page shows them.

let home = ''

/** setHome sets the home directory of the server's user, which is shown as ~. */
export function setHome(dir: string | undefined) { home = dir ?? '' }

/** shortPath returns a directory with ~ for the home directory. */
export function shortPath(dir: string): string {
  const inside = home && (dir === home || dir.startsWith(home + '/') || dir.startsWith(home + '\\'))
  return visible(inside ? '~' + dir.slice(home.length) : dir)
}

/** isScratch reports whether the server created the directory for this session alone. */
export const isScratch = (s: Session) => s.dir.endsWith(s.id)
