// Shows the page when its notification is clicked. It handles no requests and
// keeps nothing, so a page is never older than its server.
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
