// The page's API client: requests and streams with this browser's login. It is
// built as a separate file (/client.js), so that tests use the same client as
// the page.
export { ask, download, logIn, logOut, newID, Problem, send, stop, whenLoggedOut } from './ask'
export { follow, type Link } from './follow'
export { pageKey, whenReplaced } from './key'
