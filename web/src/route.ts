import { useEffect, useState } from 'preact/hooks'

const moved = new EventTarget()

/** go shows another of the page's faces, without a load. */
export function go(path: string, replace = false) {
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  moved.dispatchEvent(new Event('moved'))
}

/** usePath is where we are. */
export function usePath(): string {
  const [path, set] = useState(location.pathname)
  useEffect(() => {
    const look = () => set(location.pathname)
    moved.addEventListener('moved', look)
    addEventListener('popstate', look)
    return () => { moved.removeEventListener('moved', look); removeEventListener('popstate', look) }
  }, [])
  return path
}

/** here makes a link to another face of the page out of an ordinary one. */
export function here(e: MouseEvent) {
  if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
  e.preventDefault()
  go((e.currentTarget as HTMLAnchorElement).getAttribute('href')!)
}
