// The secret of the page. Together with the cookie it is this browser's login:
// a browser sends the cookie to every port of the host, and to other servers on
// the machine too; what the origin keeps is its own.

const key = 'bellcord.page'

// Where the browser lets the page keep nothing, a login lasts until the next load.
let unkept = ''

/** secret returns what the last login on this origin gave, in whichever tab that was. */
export function secret(): string {
  try { return localStorage.getItem(key) || unkept } catch { return unkept }
}

export function keep(given: string) {
  unkept = ''
  try { localStorage.setItem(key, given) } catch { unkept = given }
}

export function forget() {
  unkept = ''
  try { localStorage.removeItem(key) } catch { /* nothing was kept */ }
}

/** whenReplaced is called when another tab logs in or out. */
export function whenReplaced(tell: () => void): () => void {
  const look = (e: StorageEvent) => { if (e.key === key || e.key === null) tell() }
  addEventListener('storage', look)
  return () => removeEventListener('storage', look)
}
