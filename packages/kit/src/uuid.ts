/** Ids in the sixteen bytes that they are, for tokens that carry them. */

export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");
export const uuidOf = (raw: Buffer): string => raw.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
