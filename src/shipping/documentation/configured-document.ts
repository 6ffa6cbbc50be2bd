import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_HEADER_BYTES, MAX_IDENTIFIER_LENGTH } from '../../common/bounds';
import { DEFAULT_ID_PATTERN, type Settings } from '../../config/settings';
import { OPERATIONS_PREFIX } from '../model/routes';
import { limitDescription, PAGE_SIZE, pageSizeMessage } from '../model/paging-rules';
import { LIST_FAILURE_TEXTS } from './list-failure';

/** An object of the document; these members depend on settings. */
interface ConfigurableObject {
  readonly pattern?: unknown;
  readonly name?: unknown;
  readonly schema?: object;
  readonly [other: string]: unknown;
}

/** Applies settings to a copy of the document. With the default settings the copy is the same. */
export function configuredDocument(document: OpenAPIObject, settings: Settings): OpenAPIObject {
  const texts = textsOf(settings);
  const copy = JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (typeof value === 'string') return texts.reduce((text, [from, to]) => text.replaceAll(from, to), value);
    // Examples of empty lists.
    if (key === 'unavailable' && settings.listFailure === 'error') return undefined;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? configured({ ...value }, settings) : value;
  }) as OpenAPIObject;
  describeForwardedHeaders(copy, settings.external.forwardHeaders);
  return copy;
}

/** Texts to replace, and their replacements. */
function textsOf({ maxPageSize, maxLimit, listFailure }: Settings): readonly (readonly [from: string, to: string])[] {
  return [
    [PAGE_SIZE.message, pageSizeMessage(maxPageSize)],
    [`?PageSize=${PAGE_SIZE.max + 1}`, `?PageSize=${maxPageSize + 1}`],
    ['?PageSize=3)', `?PageSize=${Math.min(3, maxPageSize)})`],
    [limitDescription(), limitDescription(maxLimit)],
    ...(listFailure === 'error' ? LIST_FAILURE_TEXTS : []),
  ];
}

/** The pattern of identifiers and the largest page. */
function configured(object: ConfigurableObject, { idPattern, maxPageSize }: Settings): ConfigurableObject {
  const pattern = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$` ? DEFAULT_ID_PATTERN : idPattern.source;
  const pageSize = Math.min(PAGE_SIZE.default, maxPageSize);
  return {
    ...object,
    ...(object.pattern === DEFAULT_ID_PATTERN &&
      pattern !== DEFAULT_ID_PATTERN && { pattern, minLength: 1, maxLength: MAX_IDENTIFIER_LENGTH }),
    ...(object.name === 'PageSize' && {
      schema: { ...object.schema, maximum: maxPageSize, default: pageSize, example: pageSize },
    }),
  };
}

/** Adds the headers that are sent on to the operations, and to `Vary`. */
function describeForwardedHeaders({ paths, components }: OpenAPIObject, names: readonly string[]): void {
  if (names.length === 0) return;
  const parameters = names.map((name) => ({
    name,
    in: 'header' as const,
    required: false,
    description: 'Sent on to the external system.',
    schema: { type: 'string' as const, pattern: '^[ -~]*$', maxLength: MAX_HEADER_BYTES },
  }));
  for (const [path, { get }] of Object.entries(paths)) {
    if (path.startsWith(OPERATIONS_PREFIX) && get !== undefined) {
      get.parameters = [...(get.parameters ?? []), ...parameters];
    }
  }
  Object.assign(components?.headers?.Vary ?? {}, {
    schema: { type: 'string', pattern: "^([!#$%&'*+.^_`|~0-9A-Za-z-]+(, |$))+$", maxLength: MAX_HEADER_BYTES },
    example: `Prefer, accept-encoding, ${names.join(', ')}`,
  });
}
