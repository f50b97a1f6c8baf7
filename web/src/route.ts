import { useEffect, useState } from 'preact/hooks'

const moved = new EventTarget()

/** go shows another view of the page without loading it. */
export function go(path: string, replace = false) {
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  moved.dispatchEvent(new Event('moved'))
}

/** usePath returns the current path. */
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

/** here turns an ordinary link into a link to another view of the page. */
export function here(e: MouseEvent) {
  if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
  e.preventDefault()
  go((e.currentTarget as HTMLAnchorElement).getAttribute('href')!)
}
