import { resolved, type Document, type Schema } from './document';

/** A schema and the document that its references mean. */
export interface Place {
  readonly schema: Schema;
  readonly document: Document;
}

/** The bounds, and the types of the values that they bound. */
const LOWER_BOUNDS = { minimum: 'number', minLength: 'string', minItems: 'array' } as const;
const UPPER_BOUNDS = { maximum: 'number', maxLength: 'string', maxItems: 'array' } as const;

/**
 * Tells where `inner` allows a value that `outer` does not: nothing where everything that fits the one fits the other.
 * What cannot be decided, such as whether one pattern is stricter than another, counts as an excess. Properties that only
 * `inner` knows are none, as long as `outer` is open.
 */
export function excesses(inner: Place, outer: Place, at = ''): string[] {
  const [inners, outers] = [alternatives(inner), alternatives(outer)];
  if (inners.length === 1 && outers.length === 1) {
    return plainExcesses({ ...inner, schema: flat(inner) }, { ...outer, schema: flat(outer) }, at);
  }
  const homeless = inners.filter((one) => outers.every((other) => excesses(one, other, at).length > 0));
  return homeless.length === 0 ? [] : [`${at || 'the value'} has an alternative that is new`];
}

/** The schemas of which a value fits one; the schema itself where there is no choice. */
function alternatives({ schema, document }: Place): Place[] {
  const { oneOf, anyOf } = resolved(document, schema);
  return (oneOf ?? anyOf)?.map((one) => ({ schema: one, document })) ?? [{ schema, document }];
}

/** One schema in place of a reference, or of several that all have to hold. */
function flat({ schema, document }: Place): Schema {
  const { allOf = [], ...own } = resolved(document, schema);
  return allOf.reduce<Schema>((sum, part) => {
    const other = flat({ schema: part, document });
    const properties = { ...sum.properties, ...other.properties };
    const required = [...(sum.required ?? []), ...(other.required ?? [])];
    return {
      ...sum,
      ...other,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    };
  }, own);
}

function plainExcesses(inner: Place, outer: Place, at: string): string[] {
  return [
    ...valueExcesses(inner.schema, outer.schema),
    ...boundExcesses(inner.schema, outer.schema),
    ...textExcesses(inner.schema, outer.schema),
  ]
    .map((excess) => `${at || 'the value'} ${excess}`)
    .concat(itemExcesses(inner, outer, at), propertyExcesses(inner, outer, at));
}

function valueExcesses(inner: Schema, outer: Schema): string[] {
  const found: string[] = [];
  if (outer.type !== undefined) {
    const allowed = [outer.type].flat();
    const types = inner.type === undefined ? ['anything'] : [inner.type].flat();
    const strange = types.filter(
      (type) => !allowed.includes(type) && !(type === 'integer' && allowed.includes('number')),
    );
    found.push(...strange.map((type) => `may be ${type}`));
  }
  const allowed = valuesOf(outer);
  if (allowed === undefined) return found;
  const values = valuesOf(inner);
  if (values === undefined) return [...found, 'is no longer one of a few values'];
  const known = new Set(allowed.map((value) => JSON.stringify(value)));
  const strange = values.map((value) => JSON.stringify(value)).filter((value) => !known.has(value));
  return [...found, ...strange.map((value) => `may be ${value}`)];
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

function boundExcesses(inner: Schema, outer: Schema): string[] {
  if (valuesOf(inner) !== undefined) return [];
  const below = boundsOf(inner, LOWER_BOUNDS).filter(
    (bound) => (inner[bound] ?? -Infinity) < (outer[bound] ?? -Infinity),
  );
  const above = boundsOf(inner, UPPER_BOUNDS).filter(
    (bound) => (inner[bound] ?? Infinity) > (outer[bound] ?? Infinity),
  );
  return [...below, ...above].map(
    (bound) => `has ${bound} ${String(inner[bound] ?? 'no more')} where it was ${String(outer[bound])}`,
  );
}

/** Those that mean anything for what the schema allows. */
function boundsOf<Bound extends string>(schema: Schema, bounds: Readonly<Record<Bound, string>>): Bound[] {
  return (Object.keys(bounds) as Bound[]).filter((bound) => canBe(schema, bounds[bound]));
}

function canBe({ type }: Schema, wanted: string): boolean {
  const types = type === undefined ? [wanted] : [type].flat();
  return types.includes(wanted) || (wanted === 'number' && types.includes('integer'));
}

function isOnlyNull({ type }: Schema): boolean {
  return type === 'null';
}

function textExcesses(inner: Schema, outer: Schema): string[] {
  if (valuesOf(inner) !== undefined) return [];
  const found: string[] = [];
  if (outer.pattern !== undefined && canBe(inner, 'string') && inner.pattern !== outer.pattern)
    found.push('has another pattern');
  const { format } = outer;
  const fits =
    format === undefined ||
    isOnlyNull(inner) ||
    inner.format === format ||
    (inner.format === 'int32' && format === 'int64');
  if (!fits) found.push(`has format ${inner.format ?? 'none'} where it was ${format}`);
  return found;
}

function itemExcesses(inner: Place, outer: Place, at: string): string[] {
  if (outer.schema.items === undefined || !canBe(inner.schema, 'array')) return [];
  if (inner.schema.items === undefined) return [`${at}[] may be anything`];
  return excesses({ ...inner, schema: inner.schema.items }, { ...outer, schema: outer.schema.items }, `${at}[]`);
}

function propertyExcesses(inner: Place, outer: Place, at: string): string[] {
  if (!canBe(inner.schema, 'object')) return [];
  const { properties = {}, required = [], additionalProperties } = outer.schema;
  const known = inner.schema.properties ?? {};
  const nameOf = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const gone = Object.keys(properties).filter((name) => known[name] === undefined);
  const unsure = required.filter((name) => !gone.includes(name) && inner.schema.required?.includes(name) !== true);
  const strange =
    additionalProperties === false ? Object.keys(known).filter((name) => properties[name] === undefined) : [];
  const within = Object.entries(properties).flatMap(([name, schema]) => {
    const own = known[name];
    return own === undefined ? [] : excesses({ ...inner, schema: own }, { ...outer, schema }, nameOf(name));
  });
  return [
    ...gone.map((name) => `${nameOf(name)} is removed`),
    ...unsure.map((name) => `${nameOf(name)} is no longer always there`),
    ...strange.map((name) => `${nameOf(name)} is new in a closed object`),
    ...within,
  ];
}
