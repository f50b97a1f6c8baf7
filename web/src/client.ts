// The page's client of the API: requests and streams with this browser's login.
// It is a file of its own (/client.js), so that tests drive the client that the
// page uses.
export { ask, download, logIn, logOut, newID, Problem, send, stop, whenLoggedOut } from './ask'
export { follow, type Link } from './follow'
export { secret, whenReplaced } from './secret'
