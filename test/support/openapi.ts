import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: object };
type Content = Record<string, { schema: object }>;
export type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, unknown>;
  tags?: { name: string }[];
  components: { schemas: Record<string, object> };
};

/** The only parameter that may contain slashes. */
const REST = "{path}";

/** A part of a JSON pointer, escaped by RFC 6901. */
const escapePointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
const toPattern = (path: string) =>
  new RegExp(`^${path.replaceAll(REST, ".+").replaceAll(/\{[^}]+\}/g, "[^/]+")}/?$`);

/**
 * Checks responses against the API description: the operation must have the status, and the body must match its schema. Returns what is wrong, or
 * undefined. Undocumented routes are ignored.
 */
export function makeResponseChecker(document: OpenApi) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi");
  // Paths without parameters come first: /tasks/estimate is not /tasks/{id}.
  const routes = Object.keys(document.paths)
    .sort((a, b) => Number(a.includes("{")) - Number(b.includes("{")))
    .map((path) => ({ path, pattern: toPattern(path) }));
  const validators = new Map<string, ValidateFunction>();

  const getValidator = (parts: string[]) => {
    const $ref = `openapi#/${parts.map(escapePointer).join("/")}`;
    const validator = validators.get($ref) ?? ajv.compile({ $ref });
    validators.set($ref, validator);
    return validator;
  };

  return async (method: string, pathname: string, response: Response): Promise<string | undefined> => {
    const path = routes.find(({ pattern }) => pattern.test(pathname))?.path;
    const operation = document.paths[path ?? ""]?.[method.toLowerCase()];
    if (path === undefined || operation === undefined) return undefined;
    const { status } = response;
    const key = [String(status), `${Math.floor(status / 100)}XX`].find((name) => name in operation.responses);
    const title = `${method} ${pathname}: ${status}`;
    if (key === undefined) return `${title} is not described`;
    const content = operation.responses[key]?.content?.["application/json"];
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    if (content === undefined || !isJson || method === "HEAD") return undefined;
    const validate = getValidator([
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      key,
      "content",
      "application/json",
      "schema",
    ]);
    const body: unknown = await response.clone().json();
    if (validate(body)) return undefined;
    return `${title} is not as described: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`;
  };
}
