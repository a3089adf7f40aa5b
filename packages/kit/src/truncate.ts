/** Truncates a text to a length without splitting a surrogate pair, half of which PostgreSQL cannot store. */
export const truncate = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
