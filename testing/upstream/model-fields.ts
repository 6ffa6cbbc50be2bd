import type { Type } from '@nestjs/common';

/** The options of `@ApiProperty` that tests read. */
export interface FieldOptions {
  readonly type?: unknown;
  readonly format?: string;
}

/** Where `@ApiProperty` stores its metadata: the names of the fields of a model, and the options of each field. */
const FIELD_NAMES = 'swagger/apiModelPropertiesArray';
const FIELD_OPTIONS = 'swagger/apiModelProperties';

/** The fields of a model with the options of their `@ApiProperty`. */
export function fieldsOf(model: Type): (readonly [name: string, options: FieldOptions])[] {
  const prototype = model.prototype as object;
  const names = (Reflect.getMetadata(FIELD_NAMES, prototype) as string[] | undefined) ?? [];
  return names
    .map((name) => name.replace(/^:/, ''))
    .map((name) => [name, Reflect.getMetadata(FIELD_OPTIONS, prototype, name) as FieldOptions]);
}
