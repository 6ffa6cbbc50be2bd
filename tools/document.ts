/** The parts of an OpenAPI 3.1 document that can break a client. */
export interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly security?: readonly object[];
  /** By path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation {
  readonly operationId?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly MaybeReference<Parameter>[];
  readonly responses: Readonly<Record<string, MaybeReference<Response>>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Response {
  readonly headers?: Readonly<Record<string, MaybeReference<Header>>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly links?: Readonly<Record<string, unknown>>;
}

export interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export type MaybeReference<T> = T | { readonly $ref: string };

/** What a reference means, or the object itself where it is none. Words beside a reference are left aside. */
export function resolved<T extends object>(document: Document, object: MaybeReference<T>): T {
  if (!('$ref' in object) || typeof object.$ref !== 'string') return object as T;
  const { $ref } = object;
  const keys = $ref.replace(/^#\//, '').split('/');
  const target = keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  if (target === undefined) throw new Error(`${$ref} leads nowhere`);
  return resolved(document, target as T);
}
