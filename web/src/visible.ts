// Invisible characters that change how a line looks: control characters (except
// tab and newline), text directions, line and paragraph separators, invisible
// spaces and tags. Joiners are kept: scripts and emoji need them.
const deceptive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

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
