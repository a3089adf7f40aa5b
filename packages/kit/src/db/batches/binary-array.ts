/**
 * Arrays of PostgreSQL in their binary format, which PostgreSQL reads four times as fast as text. With text, a statement that takes
 * many rows as arrays of columns spends most of its time on parsing them.
 */

type Value = string | number | Date;

interface ElementType {
  /** Object id of the type, fixed for built-in types. */
  oid: number;
  sizeOf: (value: Value) => number;
  write: (buffer: Buffer, value: Value, offset: number) => void;
}

const DAY_MS = 86_400_000;
/** PostgreSQL's epoch, from which binary dates and timestamps are counted. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

const textOf = (oid: number): ElementType => ({
  oid,
  sizeOf: (value) => Buffer.byteLength(value as string),
  write: (buffer, value, offset) => buffer.write(value as string, offset),
});
const integer: ElementType["write"] = (buffer, value, offset) => buffer.writeInt32BE(value as number, offset);

const UUID_BYTES = 16;
function writeUuid(buffer: Buffer, value: Value, offset: number): void {
  const written = buffer.write((value as string).replaceAll("-", ""), offset, "hex");
  if (written !== UUID_BYTES) throw new TypeError(`${String(value)} is not a UUID.`);
}

const elementTypes = {
  uuid: { oid: 2950, sizeOf: () => UUID_BYTES, write: writeUuid },
  int: { oid: 23, sizeOf: () => 4, write: integer },
  bigint: { oid: 20, sizeOf: () => 8, write: (buffer, value, offset) => buffer.writeBigInt64BE(BigInt(value as number), offset) },
  date: { oid: 1082, sizeOf: () => 4, write: (buffer, value, offset) => integer(buffer, (Date.parse(value as string) - EPOCH_MS) / DAY_MS, offset) },
  timestamptz: {
    oid: 1184,
    sizeOf: () => 8,
    write: (buffer, value, offset) => buffer.writeBigInt64BE(BigInt(new Date(value).getTime() - EPOCH_MS) * 1_000n, offset),
  },
  text: textOf(25),
  json: textOf(114),
} satisfies Record<string, ElementType>;

/** Types of the elements of a binary array. Dates are `YYYY-MM-DD`, timestamps ISO 8601 or a `Date`. */
export type ArrayType = keyof typeof elementTypes;

const HEADER_BYTES = 20;
const NULL_LENGTH = -1;

/** Returns an array of one dimension in the binary format. The parameter of the statement must be an array of the same type. */
export function binaryArray(type: ArrayType, values: readonly (Value | null)[]): Buffer {
  const { oid, sizeOf, write }: ElementType = elementTypes[type];
  const sizes = values.map((value) => (value === null ? NULL_LENGTH : sizeOf(value)));
  const buffer = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), HEADER_BYTES));
  // Number of dimensions, null flag, element type, length, and lower bound.
  for (const [index, field] of [1, sizes.includes(NULL_LENGTH) ? 1 : 0, oid, values.length, 1].entries()) buffer.writeInt32BE(field, index * 4);
  let offset = HEADER_BYTES;
  for (const [index, value] of values.entries()) {
    offset = buffer.writeInt32BE(sizes[index]!, offset);
    if (value === null) continue;
    write(buffer, value, offset);
    offset += sizes[index]!;
  }
  return buffer;
}

/** Returns the columns of rows as binary arrays, in the order of `columns`. A member that a row lacks is null. */
export const binaryColumns = <Column extends string>(
  columns: Record<Column, ArrayType>,
  rows: readonly { readonly [C in NoInfer<Column>]?: Value | null | undefined }[],
): Buffer[] =>
  (Object.entries(columns) as [Column, ArrayType][]).map(([name, type]) =>
    binaryArray(
      type,
      rows.map((row) => row[name] ?? null),
    ),
  );
