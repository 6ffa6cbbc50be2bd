// A protocol by another copy of the package: it extends no class that this one knows.
class CopyOfProtocol {
  parameters = 'all';
  record() {
    return { body: undefined, completeness: { level: 'complete' } };
  }
  list() {
    return { body: [], completeness: { level: 'complete' } };
  }
  page() {
    const counts = { totalCount: 0, pageNumber: 1, pageSize: 50, totalPages: 0 };
    const flags = { hasPreviousPage: false, hasNextPage: false };
    return { body: { items: [], ...counts, ...flags }, completeness: { level: 'complete' } };
  }
}

exports.ForeignProtocol = class ForeignProtocol extends CopyOfProtocol {};
