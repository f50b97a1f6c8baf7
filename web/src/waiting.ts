// The title of the tab, with the number of sessions that wait for the user.

let count = 0

/** countWaiting shows the number of sessions that wait for the user in the title of the tab. */
export function countWaiting(n: number) { count = n; setTitle() }

const setTitle = () => {
  const plain = document.title.replace(/^\(\d+\) /, '')
  const wanted = count > 0 ? `(${count}) ${plain}` : plain
  if (document.title !== wanted) document.title = wanted
}

// Views set the title without the count.
new MutationObserver(setTitle).observe(document.head, { subtree: true, childList: true, characterData: true })
