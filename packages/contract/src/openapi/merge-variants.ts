/** One name for one shape: a component that requests and responses share, and a name with `Input` for a request that differs. */
import { mapSchemas, nameOfRef, refTo, type OpenApiDocument, type Schema } from "./document.ts";

/** Suffix of the component of a response whose schema has another component for requests. */
const OUTPUT_SUFFIX = "Output";

const withoutStrictness = ({ additionalProperties, ...rest }: Schema): string =>
  JSON.stringify({ ...rest, ...(additionalProperties !== false && { additionalProperties }) }).replaceAll(/("#\/components\/schemas\/\w+)Output"/g, '$1"');

/**
 * Merges the components of a schema for requests and responses if they differ only in the refusal of unknown members; otherwise
 * gives the plain name to that of responses.
 */
export function mergeVariants(document: OpenApiDocument): void {
  const { schemas } = document.components;
  const newNames: Record<string, string> = {};
  for (const outputName of Object.keys(schemas).filter((name) => name.endsWith(OUTPUT_SUFFIX))) {
    const name = outputName.slice(0, -OUTPUT_SUFFIX.length);
    const [input, output] = [schemas[name], schemas[outputName]!];
    if (!input) continue;
    const isSame = withoutStrictness(input) === withoutStrictness(output);
    newNames[outputName] = name;
    if (!isSame) newNames[name] = `${name}Input`;
    schemas[name] = output;
    delete schemas[outputName];
    if (!isSame) schemas[`${name}Input`] = input;
  }
  mapSchemas(document, (schema) => {
    const newName = schema.$ref && newNames[nameOfRef(schema.$ref)];
    return newName ? refTo(newName) : schema;
  });
}
