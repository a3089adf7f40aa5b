/** Returns the SQL expression of a text without upper case, punctuation and repeated spaces, for the generated columns by which imports find records. */
export const normalizedSql = (column: string): string => `lower(trim(regexp_replace(${column}, '[[:space:][:punct:]]+', ' ', 'g')))`;
