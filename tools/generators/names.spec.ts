import { largestMockList, nameFaults, namesIn } from './names';

describe('names in generated code', () => {
  it('are exports and members of types', () => {
    const code =
      'export const a = 1;\nexport async function b() {}\nexport type C = {\n    d: {\n    };\n};\nconst e = 1;';
    expect(namesIn(code)).toEqual(['a', 'b', 'C', 'd']);
  });

  it('may contain a status, but no other number and no part of a composition', () => {
    const invented = ['Status1', 'StatusEnum2', 'getShippingPagedList400Two', 'anyOf0', 'ShippingDetailAllOfStatus'];
    expect(
      nameFaults(['getShippingPagedList400', 'ShippingStatusEnum', ...invented], { operations: [], schemas: [] }),
    ).toEqual(invented.map((name) => `${name} is an invented name`));
  });

  it('contain all operations and schemas', () => {
    expect(nameFaults(['getOne', 'One'], { operations: ['getOne', 'getTwo'], schemas: ['One', 'Two'] })).toEqual([
      'getTwo is missing',
      'Two is missing',
    ]);
  });

  it('the largest list of a mock is found', () => {
    const list = (max: number): string => `Array.from({ length: faker.number.int({min: 1, max: ${max}}) }`;
    expect(largestMockList(list(5) + list(5_242_880))).toBe(5_242_880);
    expect(() => largestMockList('')).toThrow();
  });
});
