// The secret of the page. Together with the cookie it is this browser's login.
// A browser sends the cookie to every port of the host, including other servers
// on the machine; the origin's storage is not shared with them.

const key = 'bellcord.page'

// If the browser has no storage, a login lasts until the next load.
let unkept = ''

/** secret returns the secret of the last login on this origin, in any tab. */
export function secret(): string {
  try { return localStorage.getItem(key) || unkept } catch { return unkept }
}

export function keep(given: string) {
  unkept = ''
  try { localStorage.setItem(key, given) } catch { unkept = given }
}

export function forget() {
  unkept = ''
  try { localStorage.removeItem(key) } catch { /* nothing was stored */ }
}

/** whenReplaced calls a function when another tab logs in or out. */
export function whenReplaced(tell: () => void): () => void {
  const look = (e: StorageEvent) => { if (e.key === key || e.key === null) tell() }
  addEventListener('storage', look)
  return () => removeEventListener('storage', look)
}
