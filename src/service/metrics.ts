/** What happens in the service -> counters, histograms and gauges, in the text format of Prometheus. */

const COUNTERS = {
  verdict_http_requests_total: 'Requests that were answered.',
  verdict_decisions_total: 'Decisions that were made, by outcome and policy.',
  verdict_repeated_total: 'Decisions that were given again for their reference.',
  verdict_vendor_calls_total: 'Calls to the verification service; unknown ones may have been billed.',
  verdict_references_in_doubt_total: 'References that were found in doubt.',
  verdict_audit_failures_total: 'Decisions that could not be recorded.',
  verdict_velocity_failures_total: 'What the velocity store did not count, by step: count, outcome or note.',
  verdict_webhook_attempts_total: 'Events that were sent to a webhook, by result: delivered or failed.',
  verdict_reloads_total: 'Edits of policies: changed or broken.',
} as const;

const SECONDS = {
  verdict_http_request_seconds: 'Time to answer a request.',
  verdict_part_seconds: 'Time that a decision waited for a part: state, velocity or log.',
} as const;

type Labels = Readonly<Record<string, string | number>>;

/** A value of now. */
export function gauge(name: string, help: string, value: number, labels: Labels = {}) {
  return { name, help, value, labels };
}

export type Gauge = ReturnType<typeof gauge>;

/** The upper bounds of the histograms, in seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** The same object, whose function of this name is timed as a part of decisions. */
export function timed<Of extends object>(of: Of, name: keyof Of, part: string, metrics: Metrics): Of {
  const call = of[name] as (...args: unknown[]) => Promise<unknown>;
  const measured = async (...args: unknown[]) => {
    const beganAt = performance.now();
    try {
      return await call.apply(of, args);
    } finally {
      metrics.time('verdict_part_seconds', { part }, (performance.now() - beganAt) / 1000);
    }
  };
  const bound = (value: unknown) => (typeof value === 'function' ? value.bind(of) : value);
  return new Proxy(of, { get: (_, key) => (key === name ? measured : bound(Reflect.get(of, key, of))) });
}

/** What a process takes, by the names that clients of Prometheus agree on. */
export function gaugesOfProcess(): readonly Gauge[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const startedAt = (Date.now() - process.uptime() * 1000) / 1000;
  return [
    gauge('process_cpu_seconds_total', 'Processor time.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.', Math.round(startedAt)),
    gauge('nodejs_heap_size_used_bytes', 'Memory of objects.', heapUsed),
  ];
}

/** The numbers of one service. No label holds anything of a request but the route that it met. */
export class Metrics {
  readonly #counts = new Map<keyof typeof COUNTERS, Map<string, number>>();
  readonly #histograms = new Map<string, Histogram>();

  count(name: keyof typeof COUNTERS, labels: Labels = {}, by = 1): void {
    const series = this.#counts.get(name) ?? new Map<string, number>();
    this.#counts.set(name, series);
    const key = labelText(labels);
    series.set(key, (series.get(key) ?? 0) + by);
  }

  time(name: keyof typeof SECONDS, labels: Labels, seconds: number): void {
    const key = name + labelText(labels);
    let histogram = this.#histograms.get(key);
    if (!histogram) {
      histogram = { labels, counts: BOUNDS.map(() => 0), sum: 0, count: 0 };
      this.#histograms.set(key, histogram);
    }
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    if (at >= 0) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  /** All series as text. */
  render(gauges: readonly Gauge[]): string {
    const lines: string[] = [];
    for (const [name, help] of Object.entries(COUNTERS)) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`);
      const series = this.#counts.get(name as keyof typeof COUNTERS) ?? [['', 0]];
      for (const [labels, count] of series) lines.push(`${name}${labels} ${count}`);
    }
    for (const [name, help] of Object.entries(SECONDS)) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} histogram`);
      for (const [key, histogram] of this.#histograms) if (key.startsWith(name)) lines.push(...rows(name, histogram));
    }
    const described = new Set<string>();
    for (const { name, help, value, labels } of gauges) {
      if (!described.has(name)) lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
      described.add(name);
      lines.push(`${name}${labelText(labels)} ${value}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

function rows(name: string, { labels, counts, sum, count }: Histogram): readonly string[] {
  let total = 0;
  const buckets = BOUNDS.map((le, i) => {
    total += counts[i] ?? 0;
    return `${name}_bucket${labelText({ ...labels, le })} ${total}`;
  });
  const shown = labelText(labels);
  return [
    ...buckets,
    `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${shown} ${sum}`,
    `${name}_count${shown} ${count}`,
  ];
}

function labelText(labels: Labels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  return `{${entries.map(([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, '\\$&')}"`).join(',')}}`;
}
