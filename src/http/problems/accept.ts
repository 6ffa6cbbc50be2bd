/**
 * The weight that an `Accept` header gives to a media type that it names itself, without wildcards (RFC 9110): 0 to 1.
 *
 * @param type in lower case
 * @returns 0 where the header does not name the type, refuses it or has an invalid weight
 */
export function namedWeight(accept: string | undefined, type: string): number {
  let weight = 0;
  for (const range of accept?.split(',') ?? []) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name === type) weight = Math.max(weight, weightOf(parameters));
  }
  return weight;
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given.slice('q='.length)) : 0;
}
