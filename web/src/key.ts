// The key of the page. Together with the cookie it is this browser's login: the
// page signs challenges of the server with it. A browser sends the cookie to
// every port of the host, including other servers on the machine, and another
// server can take this address while Bellcord is down. No script can read the
// private key, so neither gets anything that it can use later.

// The public key, which tabs read to know of a login. It is no secret.
const shared = 'bellcord.page'

// If the browser has no storage, a login lasts until the next load.
let unkept: { name: string; key: CryptoKey } | undefined

/** pageKey returns the public key of the last login on this origin, in any tab, or ''. */
export function pageKey(): string {
  try { return localStorage.getItem(shared) || (unkept?.name ?? '') } catch { return unkept?.name ?? '' }
}

/**
 * newKey returns a key for a login. The browser has it before the login, so that keep
 * takes no time: until then, the other tabs have the new cookie and the old key.
 */
export async function newKey(): Promise<{ name: string; keep: () => void }> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  const name = text(await crypto.subtle.exportKey('raw', publicKey))
  const stored = await keys('readwrite', (store) => store.put(privateKey, name)).then(() => true, () => false)
  return { name, keep: () => keep(name, privateKey, stored) }
}

function keep(name: string, key: CryptoKey, stored: boolean) {
  unkept = undefined
  try {
    if (!stored) throw new Error('the browser has no database')
    localStorage.setItem(shared, name)
    void keys('readwrite', (store) => { store.clear(); return store.put(key, name) }).catch(() => {}) // without earlier keys
  } catch {
    unkept = { name, key }
    try { localStorage.removeItem(shared) } catch { /* nothing was stored */ }
  }
}

export function forget() {
  unkept = undefined
  signed = undefined
  try { localStorage.removeItem(shared) } catch { /* nothing was stored */ }
  void keys('readwrite', (store) => store.clear()).catch(() => {})
}

/** whenReplaced calls a function when another tab logs in or out. */
export function whenReplaced(tell: () => void): () => void {
  const look = (e: StorageEvent) => { if (e.key === shared || e.key === null) tell() }
  addEventListener('storage', look)
  return () => removeEventListener('storage', look)
}

let signed: { name: string; header: Promise<string>; until: number } | undefined

/** signature returns the header of a request, or '' without a login. It is used again until its challenge is old. */
export function signature(): Promise<string> {
  const name = pageKey()
  if (!name) return Promise.resolve('')
  if (signed?.name !== name || Date.now() >= signed.until) {
    const mine = { name, header: sign(name), until: Infinity }
    signed = mine
    mine.header.catch(() => renew(mine.header))
  }
  return signed.header
}

/** renew makes the next request sign another challenge, unless one already has. */
export function renew(old: Promise<string>) { if (signed?.header === old) signed = undefined }

async function sign(name: string): Promise<string> {
  const key = unkept?.name === name ? unkept.key : await keys<CryptoKey | undefined>('readonly', (store) => store.get(name))
  if (!key) { // it was removed without the login
    if (pageKey() === name) forget()
    return ''
  }
  const response = await fetch('/v1/challenge', { credentials: 'omit', cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error('the server sends no challenge')
  const { challenge, valid_seconds } = await response.json()
  const made = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, new TextEncoder().encode('bellcord page\0' + challenge))
  if (signed?.name === name) signed.until = Date.now() + (valid_seconds - 30) * 1000
  return `${name}.${challenge}.${text(made)}`
}

/** text encodes bytes as the server reads them. */
function text(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

/** keys works with the private keys, which only the database of the browser can keep. */
function keys<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<any>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('bellcord', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('keys')
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const db = opening.result
      try {
        const change = db.transaction('keys', mode)
        const request = work(change.objectStore('keys'))
        change.oncomplete = () => { db.close(); resolve(request.result) }
        change.onabort = () => { db.close(); reject(change.error) }
      } catch (err) {
        db.close()
        reject(err)
      }
    }
  })
}
