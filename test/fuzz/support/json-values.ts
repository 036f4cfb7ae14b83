import fc from "fast-check";

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  example?: unknown;
  examples?: unknown[];
};

const hugeText = fc.constantFrom("x".repeat(5000), "😀".repeat(3000), "\u0000".repeat(300));

const NASTY_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\u202etxt.exe",
  "null",
  "NaN",
  "-1",
  "1e999",
  "99999999999999999999",
  "0x10",
  "' or 1=1 --",
  "../../../etc/passwd",
  "%00",
  "%E0%A4%A",
  "{{7*7}}",
  "__proto__",
  "constructor",
  "toString",
  "https://[::1]:99999/",
  "http://0x7f.1/",
  "s3://bucket/key",
  "s3:///",
  "https://user:pass@example.com/a b",
  "javascript:alert(1)",
];

/** Text that breaks programs: control characters, lone surrogates, other scripts, commands, paths, numbers. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  {
    weight: 4,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      maxLength: 20,
    }),
  },
  { weight: 8, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
  hugeText,
);

/** Values of the wrong type, or at the limits of their type. */
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    -0,
    1e308,
    -1e308,
    1e-320,
    2 ** 53,
    2 ** 31,
    -(2 ** 63),
    0.1 + 0.2,
    0.0000001,
    [],
    {},
    [[]],
  ),
  fc.integer(),
  fc.double(),
  nastyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(Array.from({ length: 30 }, () => ({}))),
  fc.constant(JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`)),
  fc.constant(JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}')),
);

/** Values of a schema, some of them with an invalid part. */
export function makeJsonArbitrary(schemas: Record<string, object>) {
  const valid = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split("/").at(-1) ?? "";
      return any((schemas[name] ?? {}) as Schema, depth + 1);
    }
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return fc.oneof(...alternatives.map((part) => any(part, depth)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const example = schema.example ?? schema.examples?.[0];
    if (example !== undefined)
      return fc.oneof({ weight: 2, arbitrary: fc.constant(example) }, plain(schema, depth));
    return plain(schema, depth);
  };
  const plain = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const [type] = [schema.type ?? "any"].flat();
    if (type === "string") {
      const minLength = Math.min(schema.minLength ?? 0, 100);
      return fc.string({
        unit: "grapheme",
        minLength,
        maxLength: Math.max(minLength, Math.min(schema.maxLength ?? 30, 30)),
      });
    }
    if (type === "integer" || type === "number") {
      const min = Math.max(schema.minimum ?? -1000, -1e9);
      const max = Math.max(min, Math.min(schema.maximum ?? 1000, 1e9));
      return type === "integer"
        ? fc.integer({ min, max })
        : fc.integer({ min: Math.ceil(min * 4), max: Math.floor(max * 4) }).map((n) => n / 4);
    }
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    if (type === "array")
      return fc.array(any(schema.items ?? {}, depth + 1), { maxLength: depth > 4 ? 1 : 4 });
    if (type === "object") {
      const properties = Object.entries(schema.properties ?? {}).map(([name, part]) => [
        name,
        any(part, depth + 1),
      ]);
      return fc.record<Record<string, unknown>>(Object.fromEntries(properties), {
        requiredKeys: schema.required ?? [],
      });
    }
    return nastyValue;
  };
  const any = (schema: Schema, depth: number): fc.Arbitrary<unknown> =>
    depth > 8
      ? fc.constant(null)
      : fc.oneof({ weight: 14, arbitrary: valid(schema, depth) }, { weight: 1, arbitrary: nastyValue });
  return (schema: object) => any(schema as Schema, 0);
}
