/** Patterns of SQL's `like`, made from what people type. */

/** A text in a pattern, its wildcards taken for themselves. */
export const literally = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** The pattern of whatever has the text in it. */
export const containing = (text: string): string => `%${literally(text)}%`;
