// Keeps the composer above the keyboard of a phone in browsers that cover the
// page with it. Browsers that resize the page need nothing.

/** fitScreen sets the height that is visible above the keyboard. */
export function fitScreen() {
  const view = window.visualViewport
  if (!view) return
  const fit = () => {
    const covered = view.scale === 1 && innerHeight - view.height > 80
    if (covered) document.documentElement.style.setProperty('--screen', `${Math.round(view.height)}px`)
    else document.documentElement.style.removeProperty('--screen')
    if (covered) scrollTo(0, 0)
  }
  view.addEventListener('resize', fit)
}
