import { comparableName, decodePair, pathOf } from './request-target';

it.each([
  ['//api//Shipping/GetShippingDetails?Limit=0', '/api/Shipping/GetShippingDetails'],
  ['//evil.example/%2F%2Fother', '/evil.example/%2F%2Fother'],
  ['http://evil.example//evil.example//x', '/evil.example/x'],
  ['HTTPS://evil.example?a', '/'],
  ['/a%zz/\u00fc"<b>\\^`{|}[c]#', '/a%25zz/%FC%22%3Cb%3E%5C%5E%60%7B%7C%7D%5Bc%5D%23'],
])('D15 the path of %j as a reference is %s', (target, path) => {
  expect(pathOf(target)).toBe(path);
});

it.each([
  ['a=b=c', 'a', 'b=c'],
  ['a', 'a', ''],
  ['a+b=%2B+%C3%A9', 'a b', '+ \u00e9'],
  ['a=%ff', 'a', undefined],
  ['%zz=a', undefined, 'a'],
])('D2 %j is the name %j and the value %j', (pair, name, value) => {
  expect(decodePair(pair)).toEqual({ name, value });
});

it.each(['status', 'STATUS', 'Status[]', 'status[0]', 'sTatus[12]'])('D2 %s is compared as status', (name) => {
  expect(comparableName(name)).toBe('status');
});

it.each(['status[a]', 'status[]x', '[]status'])('D2 %s is another name', (name) => {
  expect(comparableName(name)).toBe(name);
});
