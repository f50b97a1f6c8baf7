// Invisible characters that change how a line looks: control characters (except
// tab and newline), text directions, line and paragraph separators, invisible
// spaces, fillers and tags. A joiner is kept only between two characters outside of
// ASCII: scripts and emoji need it there. The same rule as package visible in Go.
const deceptive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e007f}]|(?<![^\u0000-\u007f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u007f\u200c\u200d])/gu

/** visible shows deceptive characters as escapes such as \u202E. Use it for every text on which a user bases a decision. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(deceptive, (c) => {
    const hex = c.codePointAt(0)!.toString(16).toUpperCase()
    return hex.length > 4 ? `\\u{${hex}}` : '\\u' + hex.padStart(4, '0')
  })
}

/** inLine is visible for a text of one line, such as a path: tabs and line breaks are shown as escapes, too. */
export const inLine = (text: string) => visible(text.replace(/[\t\n\r]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')))

/** printed returns the output of a program without colours and with deceptive characters made visible. */
export const printed = (text: string) => visible(text.replace(/\u001b\[[0-9;]*m/g, ''))
