/** Patterns for SQL `like`, from user input. */

/** Escapes the wildcards of `like`, so that they match themselves. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** Length of the shortest text that a trigram index finds. */
export const MIN_INDEXED_LENGTH = 3;

/** Returns the pattern that matches every text containing the given one. */
export const containsPattern = (text: string): string => `%${escapeLike(text)}%`;
