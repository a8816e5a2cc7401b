/* A reporter for node --test: one line of JSON for each test that ended. */

function problem(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause?.message ?? cause ?? '');
}

export default async function* report(source) {
  const titles = new Map(); // file -> the titles of the open groups, by nesting
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      const open = titles.get(data.file) ?? [];
      titles.set(data.file, [...open.slice(0, data.nesting), data.name]);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const around = (titles.get(data.file) ?? []).slice(0, data.nesting);
      yield `${JSON.stringify({
        file: data.file ?? '',
        titles: [...around, data.name],
        passed: type === 'test:pass',
        skipped: data.skip !== undefined || data.todo !== undefined,
        group: data.details?.type === 'suite',
        milliseconds: data.details?.duration_ms ?? 0,
        problem: type === 'test:fail' ? problem(data.details?.error) : '',
      })}\n`;
    }
  }
}
