import { ApiError } from "@freehold/kit/errors";

/** A file that cannot be read, with the row where that shows. */
export class Unreadable extends Error {
  readonly row: number | undefined;
  constructor(message: string, row?: number) {
    super(message);
    this.row = row;
  }
}

/** The refusal that names the file, and the row where there is one. */
export function unsupported(fileName: string, { message, row }: { message: string; row?: number | undefined }): ApiError {
  const where = row === undefined ? fileName : `${fileName}, row ${row}`;
  const sentence = `${where}: ${message}`;
  return new ApiError(400, sentence, { code: "unsupported_file", errors: [{ path: "file", code: "format", message: sentence }] });
}
