// Shows push messages while the page is closed, and the page when a notification
// is clicked. It handles no requests and keeps nothing, so a page is never older
// than its server.
const titles = { question: 'Waiting for you', done: 'Done', stopped: 'Stopped', failed: 'Failed', lost: 'Lost: the server ended during this turn' }

addEventListener('push', (e) => {
  let message = {}
  try { message = e.data?.json() ?? {} } catch { /* not from a server that this worker knows */ }
  e.waitUntil(show(message))
})

/** show shows a message, unless the page is visible and shows its content anyway. Only a test is always shown. */
async function show({ kind, session, turn, title, end }) {
  if (kind === 'test') return registration.showNotification('Bellcord', { body: 'Push messages work.', tag: 'test', icon: '/icon-192.png', data: { path: '/settings' } })
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (pages.some((c) => c.visibilityState === 'visible')) return
  const path = /^[0-9a-f-]{36}$/.test(session) ? `/s/${session}` : '/'
  // A page that is open but hidden may have shown the same turn: the same tag replaces it.
  await registration.showNotification(titles[kind] ?? titles[end] ?? 'Bellcord', { body: plain(title), tag: String(turn ?? path), icon: '/icon-192.png', data: { path } })
}

/** plain removes characters that change the direction of text or control its display. */
const plain = (text) => String(text ?? '').replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ').slice(0, 200)

addEventListener('notificationclick', (e) => {
  e.notification.close()
  const path = String(e.notification.data?.path ?? '/')
  e.waitUntil(clients.matchAll({ type: 'window', includeUncontrolled: true }).then(async (all) => {
    const at = all.find((c) => new URL(c.url).pathname === path) ?? all[0]
    if (!at) return clients.openWindow(path)
    at.postMessage({ path })
    return at.focus()
  }))
})
