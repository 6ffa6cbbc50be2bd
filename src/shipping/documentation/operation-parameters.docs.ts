import { MAX_HEADER_BYTES } from '../../common/bounds';
import type { Settings } from '../../config/settings';
import { DEFAULT_ID_PATTERN } from '../../config/settings-table';
import { REQUEST_ID } from '../../openapi/components';
import type { Route } from '../../openapi/route-docs';
import { MAX_IDENTIFIER_LENGTH } from '../model/parameter-bounds';

type Parameters = Route['parameters'];
type Parameter = Exclude<Parameters[number], { $ref: string }>;

const ENTITY_TAG = '(W/)?"[!#-~\\u0080-\\u00FF]*"';

/** The parameters of an operation: those of its class, with what settings decide about them, and the request headers. */
export function parametersOf({ parameters, settings }: Route): Parameters {
  const configured = configuredParameters(settings);
  const own = parameters.map((parameter) => {
    if ('$ref' in parameter) return parameter;
    const { description = parameter.description, schema } = configured[parameter.name.toLowerCase()] ?? {};
    return { ...parameter, description, schema: { ...parameter.schema, ...schema } };
  });
  return [...own, ...requestHeaders(settings)];
}

/** By name in lower case: the documentation that depends on settings. */
function configuredParameters({ idPattern }: Settings): Readonly<Record<string, Partial<Parameter>>> {
  const isDefault = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$`;
  return {
    id: {
      schema: {
        pattern: isDefault ? DEFAULT_ID_PATTERN : idPattern.source,
        minLength: 1,
        maxLength: isDefault ? 64 : MAX_IDENTIFIER_LENGTH,
      },
    },
  };
}

/** Request headers; without examples, because the Swagger page would send them. */
function requestHeaders({ external }: Settings): readonly Parameter[] {
  return [
    requestHeader(
      'Prefer',
      '`handling=strict`: 502, 503 or 504 instead of an empty list or 500 where the external system fails, and 400 for unknown parameters (RFC 7240). `partial` and `stale` responses stay 200.',
      {
        $ref: '#/components/schemas/HandlingPreference',
      },
    ),
    requestHeader('If-None-Match', 'The `ETag` of an earlier response: 304 where it has not changed (RFC 9110).', {
      type: 'string',
      pattern: `^(\\*|${ENTITY_TAG}([ \\t]*,[ \\t]*${ENTITY_TAG})*)$`,
      maxLength: MAX_HEADER_BYTES,
    }),
    requestHeader('X-Request-Id', 'Id of this request in responses, logs and the external system.', REQUEST_ID),
    requestHeader('traceparent', 'The trace to continue (W3C Trace Context).', {
      type: 'string',
      pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
      minLength: 55,
      maxLength: 55,
    }),
    ...external.forwardHeaders.map((name) =>
      requestHeader(name, 'Sent on to the external system.', {
        type: 'string',
        pattern: '^[ -~]*$',
        maxLength: MAX_HEADER_BYTES,
      }),
    ),
  ];
}

function requestHeader(name: string, description: string, schema: NonNullable<Parameter['schema']>): Parameter {
  return { name, in: 'header', required: false, description, schema };
}
