// Written by `npm run types` from schema/api.schema.json.

export type PublishedData =
  | SiteIndex
  | SeriesIndex
  | RunIndex
  | Overview
  | Matrix
  | MatrixIndex
  | SeriesFile
  | SeriesPart
  | RunFile
  | Timeline
  | CompareFile
  | AlertsFile
  | HostsFile
  | StartsFile
  | ClassesFile
  | StudiesFile
  | IntegrityFile
  | RulesFile
  | MethodFile
  | SearchFile
  | WaysOn;

/**
 * `api/v1/index.json`. `newest_t` is the time of the newest record: for a site this is the present.
 *
 * `exports` are the paths of the documents for github-action-benchmark; one without an entry is not written.
 */
export interface SiteIndex {
  api: "v1";
  exports: string[];
  hosts: HostEntry[];
  kind: "site";
  left_out_records: number;
  metrics: MetricEntry[];
  newest_t: number | null;
  refused_trials: number;
  scenarios: ScenarioEntry[];
  sessions: number;
  simulated: boolean;
  subjects: SubjectEntry[];
  title: string;
  trials: number;
}
/**
 * A host; `slug` is its name in addresses, `newest` its last session.
 */
export interface HostEntry {
  cpu_model: string;
  cpus: number;
  host_class: "lab" | "shared" | "small";
  name: string;
  newest: Link;
  sessions: number;
  slug: string;
}
/**
 * A session with its page, and when it was measured.
 */
export interface Link {
  page: string;
  session: string;
  t: number;
}
/**
 * A metric. Shown is value / per, then `symbol`. `sound_on_small`: means something on a host with few CPUs, too.
 */
export interface MetricEntry {
  better: ("higher" | "lower") | null;
  name: string;
  per: number;
  primary: boolean;
  sound_on_small: boolean;
  symbol: string;
  title: string;
  unit: string;
}
/**
 * A scenario as its newest session planned it. `phases` of older sessions alone follow those of the newest.
 *
 * `control_operation` is what the control runs in place of `operation`, None where it runs the same.
 */
export interface ScenarioEntry {
  control_operation: string | null;
  id: string;
  name: string;
  operation: string;
  phases: PhaseEntry[];
  slug: string;
  uses_database: boolean;
  version: number;
  workload: string;
}
/**
 * A phase of a scenario; `where` says in words what its figures are of: `at 500 requests/s`.
 */
export interface PhaseEntry {
  kind: "start" | "probe" | "warm-up" | "closed" | "open" | "after";
  name: string;
  where: string;
}
/**
 * A subject with the axes that pages filter by.
 *
 * `short` is the shortest name that still tells it from the others, `mark` the number of its colour and shape, the
 * same on every page (None: the control). `tls` is whether the way to the database is encrypted. `retired` subjects
 * are in no session of a host's newest 30 days.
 */
export interface SubjectEntry {
  concurrency: "imperative" | "reactive" | "virtual" | "unknown";
  control: boolean;
  engine: string;
  first: Link;
  framework: string;
  id: string;
  last: Link;
  mark: number | null;
  packaging: string;
  retired: boolean;
  settings: {
    [k: string]: string;
  };
  short: string;
  slug: string;
  tls: boolean;
  variant: string;
}
/**
 * `api/v1/series.json`: by host, subject, scenario, phase, metric (`host`, `subject`, `scenario` are slugs).
 */
export interface SeriesIndex {
  api: "v1";
  kind: "series-index";
  series: SeriesEntry[];
  simulated: boolean;
}
/**
 * A series: where its file is, how long it is, its newest point, and how many alerts of it wait for somebody.
 */
export interface SeriesEntry {
  badge: string;
  host: string;
  id: string;
  last_ratio: number | null;
  last_t: number;
  last_value: number;
  metric: string;
  open_alerts: number;
  path: string;
  phase: string;
  points: number;
  scenario: string;
  subject: string;
}
/**
 * `api/v1/runs.json`: the newest 1,000 to 1,999 sessions, newest first; `older` are the files of earlier ones.
 */
export interface RunIndex {
  api: "v1";
  kind: "runs";
  older: string[];
  runs: RunEntry[];
  simulated: boolean;
}
/**
 * A session in the list of all sessions. `refused` of the `trials` measured trials are invalid.
 *
 * `verdict` is the verdict of the record, which is that of the worst measured trial. `word` is the verdict on the
 * trials that count, and `invalid` where no trial counts. `comparable`: `api/v1/compare/` has values of its subjects.
 */
export interface RunEntry {
  commit: string | null;
  comparable: boolean;
  host: string;
  page: string;
  recent: boolean;
  refused: number;
  session: string;
  suite: string;
  t: number;
  trials: number;
  verdict: "valid" | "advisory" | "invalid";
  word: "valid" | "advisory" | "invalid";
}
/**
 * `api/v1/overview.json`, and the first page: hosts of class lab first, then shared, then small.
 */
export interface Overview {
  api: "v1";
  kind: "overview";
  left_out_records: number;
  open_alerts: number;
  sessions: number;
  simulated: boolean;
  standings: Standings[];
}
/**
 * The tables of one scenario on one host, and the session of the first table.
 *
 * A table of another session names that session, which is one of `others`. `passed_over` are newer sessions in which
 * nothing counted. `heading` is the name that the tables may have: results of a host that is not made for measuring
 * are no standings.
 */
export interface Standings {
  before: Link | null;
  cautions: string[];
  control_refused: number;
  heading: string;
  host: string;
  host_class: "lab" | "shared" | "small";
  measured: number;
  others: SessionSaid[];
  passed_over: Link[];
  refusals: Refusal[];
  refused: number;
  scenario: string;
  session: Link;
  steady: string;
  suite: string;
  tables: Table[];
  verdict: "valid" | "advisory" | "invalid";
}
/**
 * The trials of one scenario in one session, in counts and words.
 *
 * `verdict` is the word on the trials that count: `valid` or `advisory`. `steady` says whether the phases were proven
 * steady. `refused` of the `measured` trials are invalid, for the reasons in `refusals`; trials of the control are
 * counted apart.
 */
export interface SessionSaid {
  cautions: string[];
  control_refused: number;
  measured: number;
  refusals: Refusal[];
  refused: number;
  session: Link;
  steady: string;
  suite: string;
  verdict: "valid" | "advisory" | "invalid";
}
/**
 * Why trials were refused: a rule (None: the trial did not reach its end), how many, and one reading.
 */
export interface Refusal {
  reading: string;
  rule: string | null;
  title: string;
  trials: number;
}
/**
 * The subjects by a metric of a phase in `session`, the newest one that could decide their order.
 *
 * `classes` has the sentence of each class. `before` is the session to which changes refer. `confidence` is that of
 * the intervals; bars of a metric that is measured once (`build_wall_s`) have no interval.
 */
export interface Table {
  bars: Bar[];
  before: Link | null;
  better: "higher" | "lower";
  classes: ClassSaid[];
  confidence: number;
  control: Bar | null;
  headline: string[];
  metric: string;
  per: number;
  phase: string;
  said: string;
  session: Link;
  sound: boolean;
  symbol: string;
  title: string;
  warming_up: boolean;
  where: string;
}
/**
 * A bar of a chart: the value of a subject by a metric, across sessions.
 *
 * `rank` is among the subjects of one class of `data_access`, and shared by those that can't be told apart (`tied`);
 * None for the control, below three blocks, and for a program that may still have been `warming_up`. `gap` says by how
 * much the subject is surely behind a leader; empty where nothing is sure. `trend` is the address of the page with the
 * chart of this bar; None where there is no chart.
 */
export interface Bar {
  data_access: ("orm" | "sql" | "none" | "unknown") | null;
  gap: string;
  high: number | null;
  low: number | null;
  mark: number | null;
  mean: number | null;
  rank: number | null;
  ratio: number | null;
  refused: number;
  short: string;
  since: Since | null;
  subject: string;
  text: string;
  tied: boolean;
  trend: string | null;
  trials: number;
  warming_up: boolean;
}
/**
 * A subject against the session before, by the ratio to the control (as measured where there is no control).
 *
 * `ratio` is the figure now over the figure then, with its 99 % interval. `word` is `equivalent` where the interval
 * lies within 2 %, `inconclusive` where neither equivalence nor a difference is shown, `incomparable` where the
 * sessions were measured otherwise (host, load, phases, control), and `new` where no session before has a figure of
 * the subject after its warm-up. `text` is the change in words, with the date of the session before where it isn't
 * the `before` of the table: a subject that is not in every session has an older one.
 */
export interface Since {
  high: number | null;
  low: number | null;
  ratio: number | null;
  text: string;
  word: "new" | "better" | "worse" | "equivalent" | "inconclusive" | "incomparable";
}
/**
 * The result of one class of data access in a sentence; `title` is empty where there is only one class.
 */
export interface ClassSaid {
  data_access: "orm" | "sql" | "none" | "unknown";
  said: string;
  title: string;
}
/**
 * `api/v1/matrix/CLASS/SCENARIO.json`. Each column says from which of `sources` its ranks come.
 *
 * A cell of another source is about a subject of which the column's session has no figure. `classes` has the titles of
 * the classes that have a row.
 */
export interface Matrix {
  api: "v1";
  classes: {
    [k: string]: string;
  };
  columns: Column[];
  heading: string;
  host_class: "lab" | "shared" | "small";
  kind: "matrix";
  page: string;
  rows: MatrixRow[];
  scenario: string;
  simulated: boolean;
  sources: Source[];
  sparks: Spark[];
}
/**
 * A measure: a metric of a phase. `sound` says whether the metric means something on this class of host.
 *
 * `source` is an index in `sources`: the session of the ranks, the newest one that could decide this measure. `surely`
 * has the pairs of indices in `rows`, the better row first, whose order was decided in a session that measured both;
 * `alike` has the pairs that were found equivalent. The order of any other pair is not decided.
 */
export interface Column {
  alike: [number, number][];
  better: "higher" | "lower";
  metric: string;
  per: number;
  phase: string;
  sound: boolean;
  source: number;
  surely: [number, number][];
  symbol: string;
  title: string;
  where: string;
}
/**
 * A subject; `cells` has one cell for each column, None where no figure of a warm program counts.
 */
export interface MatrixRow {
  cells: (Cell | null)[];
  data_access: ("orm" | "sql" | "none" | "unknown") | null;
  mark: number | null;
  short: string;
  subject: string;
}
/**
 * A subject by a measure, from one session of `sources`. `text` is mean and interval for people, in the shown unit.
 *
 * `ratio` is the value over the value of the best subject of the class in the same blocks, with the interval by which
 * the order is decided; where subjects share rank 1, the best is the subject with the best mean. `word` compares with
 * this best subject: `best` is that subject; `equivalent`: closer than 2 %; `behind`: surely; `ahead`: surely, in
 * another session; `undecided`: also of all that share rank 1 without being equivalent; `apart`: not compared. `shade`
 * grows with the distance, and is there only where the distance is decided. `rank` and `tied` are within the class, in
 * the session from which the column has its ranks. `trend` is the address of the page with the cell's chart; None
 * where there is no chart.
 */
export interface Cell {
  high: number | null;
  low: number | null;
  mean: number;
  rank: number | null;
  ratio: number | null;
  ratio_high: number | null;
  ratio_low: number | null;
  shade: number | null;
  source: number;
  text: string;
  tied: boolean;
  trend: string | null;
  word: "best" | "equivalent" | "undecided" | "behind" | "ahead" | "apart";
}
/**
 * A session from which cells come. `host` is a slug, `commit` the commit that was measured.
 */
export interface Source {
  commit: string | null;
  host: string;
  session: Link;
}
/**
 * A small trend chart of the first subjects by a measure: an index in `columns`, and the ranges of the axes.
 */
export interface Spark {
  column: number;
  high: number;
  lines: SparkLine[];
  low: number;
  since: number;
  until: number;
}
/**
 * A subject in a small chart: an index in `rows`, and the time and the ratio to the control of each night.
 */
export interface SparkLine {
  points: [number, number][];
  row: number;
}
/**
 * `api/v1/matrix.json`: every matrix, the most telling class of hosts first.
 */
export interface MatrixIndex {
  api: "v1";
  kind: "matrix-index";
  matrices: MatrixEntry[];
  simulated: boolean;
}
/**
 * A matrix in the list of all matrices.
 */
export interface MatrixEntry {
  host_class: "lab" | "shared" | "small";
  page: string;
  path: string;
  scenario: string;
  subjects: number;
}
/**
 * `api/v1/series/….json`: the newest 500 to 1,000 points of a series; `older` has the rest, oldest first.
 *
 * Indices count the whole series from 0; `first` is the index of the first row of `columns`. `min_range` is the least
 * relative height of the y axis (0.1: 10 % of the median), so that noise looks like noise. `turns` are the points
 * before which the environment changed; unlike `segments` they also tell where an earlier environment comes back.
 */
export interface SeriesFile {
  annotations: Annotation[];
  api: "v1";
  better: ("higher" | "lower") | null;
  changes: ChangePoint[];
  columns: Columns;
  first: number;
  host: string;
  id: string;
  kind: "series";
  metric: string;
  min_range: number;
  older: Part[];
  per: number;
  phase: string;
  points: number;
  refused: Refused[];
  scenario: string;
  segments: Segment[];
  simulated: boolean;
  sound: boolean;
  subject: string;
  symbol: string;
  title: string;
  turns: Annotation[];
  where: string;
}
/**
 * A labelled line: from this point on, something differs from the point before. `annotations` are of what is
 * measured (the framework's build, the JDK, the flags), `turns` are of the environment.
 */
export interface Annotation {
  changes: Difference[];
  index: number;
  t: number;
}
/**
 * A difference between two points: a component of the environment, or a label of what is measured. None: it is
 * absent.
 */
export interface Difference {
  after: string | null;
  before: string | null;
  name: string;
}
/**
 * A change of level at a point. `ratio` is new level over old with its 95 % interval.
 *
 * `worse` is None where neither direction is worse. `cause` lists what changed at the same point, `commits` has the
 * commits before and after.
 * `back` is the index of the change that brought the level back.
 */
export interface ChangePoint {
  against_control: boolean;
  back: number | null;
  cause: Difference[];
  /**
   * @minItems 2
   * @maxItems 2
   */
  commits: [string | null, string | null];
  high: number;
  index: number;
  life: Life | null;
  low: number;
  of_control: boolean;
  p: number;
  ratio: number;
  session: string;
  t: number;
  worse: boolean | null;
}
/**
 * The alert of a change; a change may have no alert.
 */
export interface Life {
  alert: string;
  reason: string;
  state: "open" | "confirmed" | "cleared" | "fixed";
}
/**
 * Points by time. `value` is the geometric mean over the trials that count, to 6 digits; `ratio` is this
 * value over the control's of the same session, to 5 digits (None without a control).
 *
 * `half` is half the 99 % interval of `value` in logarithms: low = value * exp(-half), high = value * exp(half); None
 * below three trials. `ratio_half` is the same for `ratio`, to which the scatter of both sides adds; None where the
 * subject or the control has fewer than three trials. `verdict` is the worst of the trials
 * that count (`valid` or `advisory`); a session whose trials are all refused, or whose phase was not proven steady,
 * has no point.
 */
export interface Columns {
  half: (number | null)[];
  ratio: (number | null)[];
  ratio_half: (number | null)[];
  session: string[];
  t: number[];
  value: number[];
  verdict: ("valid" | "advisory" | "invalid")[];
}
/**
 * An older part of a series, in a file of its own; `first` is the index of its first point.
 */
export interface Part {
  first: number;
  from_t: number;
  path: string;
  points: number;
  to_t: number;
}
/**
 * A session without a point: a gap in the line with a reason.
 *
 * Every trial of this subject and scenario was refused, or (`unsteady`) the phase was not proven steady.
 */
export interface Refused {
  reason: string;
  session: string;
  t: number;
  unsteady: boolean;
}
/**
 * Points measured in one environment. `first` is the index of its first point in the whole series.
 *
 * Changes are looked for inside of segments. `differs` lists the differences to the segment before (the first segment
 * has none).
 */
export interface Segment {
  against_control: boolean;
  differs: Difference[];
  first: number;
  points: number;
  t: number;
}
/**
 * `api/v1/series/…/<n>.json`: 500 older points, and the sessions without a point until the next part begins. Never
 * changes again.
 */
export interface SeriesPart {
  api: "v1";
  columns: Columns;
  first: number;
  id: string;
  kind: "series-part";
  refused: Refused[];
  simulated: boolean;
}
/**
 * `api/v1/runs/<session>.json`, and the page `run/<session>/`.
 *
 * `verdict` is the verdict of the record: the verdict of the worst measured trial. `word` is the verdict on the trials
 * that count, `trust` the same in sentences. `headline` is the leading measure with its scenario, then its result by
 * class, a line each; empty where nothing counts. `not_guaranteed` lists what the host and the length of the phases
 * could not guarantee. `heading` is the name that the tables may have. `folder` is the session's folder on the data
 * branch, `files` has the files in it with their SHA-256. `verify` and `reproduce` are command lines to copy.
 * `rules_version` is the version of the record's rules, `rules_today` of this program's rules. `compare` is the path
 * of trial values and curves. A comparison of two sides has `compared`, and neither `headline` nor `tables`. A session
 * that repeats another has `reproduction`, and no `headline`: its `lead` says how many ratios agree.
 */
export interface RunFile {
  api: "v1";
  builds: BuildRow[];
  commit: string | null;
  compare: string;
  compared: RunComparison | null;
  files: {
    [k: string]: string;
  };
  folder: string;
  heading: string;
  headline: string[];
  host: string;
  host_class: "lab" | "shared" | "small";
  kind: "run";
  lead: string;
  measured: number;
  not_guaranteed: string[];
  provenance: Fact[];
  recent: boolean;
  refused: number;
  reproduce: string[];
  reproduction: ReproductionView | null;
  rules: RuleReading[];
  rules_today: number;
  rules_version: number;
  session: string;
  simulated: boolean;
  suite: string;
  t: number;
  tables: RunTable[];
  trial_columns: string[];
  trials: TrialRow[];
  trust: string[];
  trust_word: string;
  verdict: "valid" | "advisory" | "invalid";
  verify: string[];
  word: "valid" | "advisory" | "invalid";
}
/**
 * The build of an artifact: how long it took, and how big it is. `memory_bytes` is None where it was not read.
 */
export interface BuildRow {
  artifact: string;
  memory_bytes: number | null;
  note: string;
  sha256: string;
  size_bytes: number;
  wall_s: number;
}
/**
 * The findings of a comparison. `facts` tell its sides, its design and why it ended.
 */
export interface RunComparison {
  answers: RunAnswer[];
  facts: Fact[];
}
/**
 * A question of a comparison. `subject` names one id, or `A against B`; `leads`: this question asked for a verdict.
 *
 * `text` is how far head differs from base, in words. `tone` is what the verdict means for head.
 */
export interface RunAnswer {
  leads: boolean;
  pairs: number;
  scenario: string;
  subject: string;
  text: string;
  title: string;
  tone: "better" | "worse" | "same" | "open";
  verdict: string;
  where: string;
}
/**
 * A line of the provenance.
 */
export interface Fact {
  name: string;
  value: string;
}
/**
 * A session that was run again: the result in a sentence, the facts of the repeated session, and each ratio.
 */
export interface ReproductionView {
  facts: [string, string][];
  rows: AgreementRow[];
  sentence: string;
}
/**
 * A ratio in the repeated session and in this one; `tone` is better (agrees), worse (disagrees) or open.
 */
export interface AgreementRow {
  against: string;
  detectable: string;
  difference: string;
  ours: string;
  scenario: string;
  subject: string;
  theirs: string;
  title: string;
  tone: string;
  where: string;
  word: string;
}
/**
 * A rule over all trials: how many trials had each outcome, by a trial's worst phase, and a reading of the worst.
 *
 * `source` is the origin of the rule's evidence, `mistake` the published mistake that the rule would have caught; both
 * are None for a rule that this version does not know. `today` is the result by today's rules (the worst outcome and
 * its reading), where these differ from the rules of the record and the record's evidence lies on the branch.
 */
export interface RuleReading {
  counts: {
    [k: string]: number;
  };
  mistake: string | null;
  reading: string;
  rule: string;
  source: string | null;
  title: string;
  today: ["pass" | "warn" | "invalid" | "unknown" | "n/a", string] | null;
  worst: "pass" | "warn" | "invalid" | "unknown" | "n/a";
}
/**
 * The subjects by a primary metric of a phase in a session; the control stands last.
 */
export interface RunTable {
  bars: RunBar[];
  better: "higher" | "lower";
  headline: string[];
  metric: string;
  phase: string;
  said: string;
  scenario: string;
  sound: boolean;
  symbol: string;
  title: string;
  warming_up: boolean;
  where: string;
}
/**
 * One subject by one metric. `text` is mean and interval for people, in the shown unit.
 *
 * `rank` is None for the control and where nothing is ranked. `ratio` is the mean over the control's mean. `refused`
 * trials are invalid and part of no figure. The program may still have been `warming_up`: such a figure has no rank.
 */
export interface RunBar {
  rank: number | null;
  ratio: number | null;
  refused: number;
  subject: string;
  text: string;
  trials: number;
  warming_up: boolean;
}
/**
 * A trial. `figures` go with the run report's `trial_columns`; `reasons` say why the trial is invalid.
 *
 * `timeline` is the path of the trial's timeline, for the newest 90 sessions. `today` is the trial's verdict by
 * today's rules, where these differ from the rules of the record.
 */
export interface TrialRow {
  block: number;
  evidence: string;
  figures: string[];
  number: number;
  reasons: string[];
  role: "measured" | "control" | "discarded" | "proof";
  scenario: string;
  subject: string;
  timeline: string | null;
  today: ("valid" | "advisory" | "invalid") | null;
  verdict: "valid" | "advisory" | "invalid";
}
/**
 * `api/v1/runs/<session>/<trial>.json`: one trial second by second, thinned to means of neighbours.
 */
export interface Timeline {
  api: "v1";
  bands: Band[];
  end_s: number;
  kind: "timeline";
  panels: Panel[];
  scenario: string;
  session: string;
  simulated: boolean;
  subject: string;
  trial: number;
}
/**
 * A phase on the axis of seconds.
 */
export interface Band {
  end_s: number;
  kind: "start" | "probe" | "warm-up" | "closed" | "open" | "after";
  label: string;
  start_s: number;
}
/**
 * Lines on one axis: rate, CPU by set, memory, garbage collection.
 */
export interface Panel {
  lines: Line[];
  name: "rate" | "cpu" | "memory" | "gc";
  symbol: string;
  title: string;
}
/**
 * A line of a panel, at most 120 points over all pieces; a break in the readings starts a new piece.
 */
export interface Line {
  label: string;
  pieces: [number, number][][];
}
/**
 * `api/v1/compare/<session>.json`: the values by which two subjects of a session are compared, and the `rule`.
 *
 * `word` is the verdict on the trials that count. Two sessions measured a scenario alike where its `phases` are equal
 * (a text by scenario) and the versions of `workload` and `figures`, which are among the components of `environment`.
 */
export interface CompareFile {
  api: "v1";
  blocks: number;
  contenders: Contender[];
  environment: {
    [k: string]: string;
  };
  host: string;
  kind: "compare";
  measures: Measure[];
  phases: {
    [k: string]: string;
  };
  recent: boolean;
  rule: CompareRule;
  session: string;
  simulated: boolean;
  t: number;
  word: "valid" | "advisory" | "invalid";
}
/**
 * A subject under a scenario, and the operation that it ran: the control may have another than the subjects.
 *
 * Curves are there for the newest 90 sessions, else empty or None.
 */
export interface Contender {
  control: boolean;
  data_access: ("orm" | "sql" | "none" | "unknown") | null;
  latency: Latency[];
  mark: number | null;
  operation: string;
  scenario: string;
  short: string;
  subject: string;
  values: Values[];
  warm_up: WarmUp | null;
}
/**
 * Latencies of all trials that count as one mixture: (quantile, ms), for quantiles with 100 requests above them.
 */
export interface Latency {
  phase: string;
  points: [number, number][];
  rate_per_s: number | null;
  samples: number;
  trials: number;
  where: string;
}
/**
 * The block and the value of each trial that counts and has the figure, in the order of the blocks; `measure` is an
 * index in the file's `measures`. A trial that was not proven steady is left out where another of the subject was.
 *
 * Two subjects of one class of data access are compared by the logarithms of their values, paired by block, at the
 * `level` of that class and measure: the rule's, divided by the pairs of subjects that are compared. Figures of a
 * program that may still have been warming up are compared with nobody; `warming_up` says why, and is empty otherwise.
 * `drift` is how far the logarithm may still fall and rise.
 */
export interface Values {
  blocks: number[];
  /**
   * @minItems 2
   * @maxItems 2
   */
  drift: [number, number];
  level: number;
  measure: number;
  values: number[];
  warming_up: string;
}
/**
 * Requests per second from the first load on: the median of the trials that count, in pieces, over the phases.
 */
export interface WarmUp {
  bands: Band[];
  pieces: [number, number][][];
}
/**
 * A metric of a phase. `primary` measures are judged as one family, the others as another.
 */
export interface Measure {
  better: "higher" | "lower";
  metric: string;
  per: number;
  phase: string;
  primary: boolean;
  symbol: string;
  title: string;
  where: string;
}
/**
 * The rule by which the page decides between two sides (`docs/method.md`): the thresholds of `./bench compare`,
 * without interim analyses.
 *
 * With d the differences of log values in common blocks, turned so that above zero is better, the ratio is
 * exp(mean(d)) and the interval of confidence 1 - `level` is exp(mean(d) +- t sd(d) / sqrt(n)). Within a session the
 * level of a question is that of its class and measure (`Values.level`), so that every page has one word for it;
 * between two sessions the t test's p is adjusted for all measures asked at once (Holm over primary ones,
 * Benjamini-Hochberg over the others). Sides differ where p is below `level`, and no drift could turn the order round;
 * they are equivalent where the whole interval lies within `margin`, a log ratio.
 * A mean trimmed by `trimmed_share` and the Hodges-Lehmann estimate have to lie in the interval and on the same side,
 * and from `trimmed_from` pairs on the p of Yuen's test may not exceed `trimmed_doubts_above`. Fewer than
 * `minimum_pairs` say nothing.
 */
export interface CompareRule {
  level: number;
  margin: number;
  minimum_pairs: number;
  trimmed_doubts_above: number;
  trimmed_from: number;
  trimmed_share: number;
}
/**
 * `api/v1/alerts.json`: first the alerts that wait for somebody, then the closed ones; each group newest first.
 */
export interface AlertsFile {
  api: "v1";
  closed: AlertEntry[];
  kind: "alerts";
  open: AlertEntry[];
  simulated: boolean;
}
/**
 * An alert; `ratio` is new level over old with its 95 % interval, `page` shows the change.
 *
 * `command` confirms an open alert; where there is no command, `why_not` says why. `data` is the path of the alert's
 * series, None where the series no longer exists.
 */
export interface AlertEntry {
  cause: Difference[];
  command: string | null;
  data: string | null;
  high: number;
  host: string | null;
  id: string;
  low: number;
  metric: string | null;
  page: string;
  phase: string | null;
  ratio: number;
  reason: string;
  scenario: string | null;
  series: string;
  session: string;
  state: "open" | "confirmed" | "cleared" | "fixed";
  subject: string | null;
  t: number;
  title: string;
  why_not: string | null;
  worse: boolean | null;
}
/**
 * `api/v1/hosts.json`.
 */
export interface HostsFile {
  api: "v1";
  hosts: HostFile[];
  kind: "hosts";
  simulated: boolean;
}
/**
 * A host. `doctor` has its conditions in the newest session, read at `doctor_t`; empty where no reading is kept.
 * `quiet` is missing where nobody kept a measurement.
 */
export interface HostFile {
  aa: AaRate | null;
  changes: EnvironmentChange[];
  doctor: DoctorLine[];
  doctor_t: number | null;
  facts: Fact[];
  first: Link;
  host_class: "lab" | "shared" | "small";
  isolation: IsolationLine[];
  name: string;
  newest: Link;
  not_guaranteed: string[];
  quiet: HostQuiet | null;
  sessions: number;
  slug: string;
  why_class: string;
}
/**
 * The rate at which equal sides were found different: in `flags` of the `sessions` that compared a subject with
 * itself, a question told the sides apart. `low` and `high` are the 95 % interval of the rate. `looks` is an older
 * name of `sessions`, and `about` says what they are.
 */
export interface AaRate {
  about: string;
  flags: number;
  high: number;
  looks: number;
  low: number;
  rate: number;
  sessions: number;
}
/**
 * A change of a component of the host, from this session on.
 */
export interface EnvironmentChange {
  after: string | null;
  before: string | null;
  component: string;
  session: string;
  t: number;
}
/**
 * A condition of the host and how it was met; `mend` is the command that repairs it.
 */
export interface DoctorLine {
  mend: string | null;
  name: string;
  outcome: string;
  reading: string;
}
/**
 * A rule about the host (isolation, capacity) in the newest session: its worst outcome and reading.
 */
export interface IsolationLine {
  reading: string;
  rule: string;
  title: string;
  worst: "pass" | "warn" | "invalid" | "unknown" | "n/a";
}
/**
 * How quiet a host was before and after `bench-host apply`, as far as both were kept.
 */
export interface HostQuiet {
  after: Quiet | null;
  before: Quiet | null;
}
/**
 * How quiet a host was at `t`. `scatter` is missing where the control was not measured.
 */
export interface Quiet {
  cpus: QuietCpu[];
  scatter: QuietScatter | null;
  t: number;
  write_p99_ms: number;
}
/**
 * The time that a loop on one CPU did not get: its share of all time, and the longest single interruption.
 */
export interface QuietCpu {
  cpu: number;
  housekeeping: boolean;
  longest_us: number;
  lost_share: number;
}
/**
 * The standard deviation of the control's CPU time per request over its mean, across `trials` trials.
 */
export interface QuietScatter {
  cv: number;
  trials: number;
}
/**
 * `api/v1/starts.json`. An order needs `least_starts` starts of each subject; `commands` measure starts.
 */
export interface StartsFile {
  api: "v1";
  commands: string[];
  kind: "starts";
  least_starts: number;
  not_measured: NotMeasured[];
  simulated: boolean;
  standings: StartStanding[];
}
/**
 * A way to start sooner that nobody measured here, and why.
 */
export interface NotMeasured {
  name: string;
  why: string;
}
/**
 * The starts of a session under a scenario. `host` and `scenario` are slugs; `symbol` is the unit of times.
 */
export interface StartStanding {
  classes: StartClass[];
  confidence: number;
  heading: string;
  host: string;
  host_class: "lab" | "shared" | "small";
  scenario: string;
  session: Link;
  symbol: string;
}
/**
 * The starts of a class of data access, the fastest first; `said` is the result in words.
 *
 * Subjects with fewer starts than the page asks for come last, and have no rank.
 */
export interface StartClass {
  data_access: "orm" | "sql" | "none" | "unknown";
  rows: StartRow[];
  said: string;
  title: string;
}
/**
 * The starts of a subject: times to the first response in milliseconds, as a geometric mean with its interval.
 *
 * `starts` counts the trials that count, `refused` the others. `text` and `idle` (memory before the first request)
 * are for people, in the units of the standing; `idle` says in how many starts the memory was read where that was not
 * in all. `against_jvm` is the time as a multiple of the time of the same variant's JVM, under the same conditions,
 * and `word` the decision of that comparison; None where there is no comparison. `rank` is within the class. Seconds
 * and bytes are of the build, of the training of an AOT cache, and of the image of a container; None where the session
 * did not have them. `build_s` is None where the artifact was built before the session, too.
 */
export interface StartRow {
  against_jvm: string | null;
  artifact_bytes: number | null;
  build_s: number | null;
  cache_bytes: number | null;
  high_ms: number | null;
  idle: string;
  idle_bytes: number | null;
  image_bytes: number | null;
  low_ms: number | null;
  mark: number | null;
  mean_ms: number;
  packaging: string;
  page_cache: "warm" | "cold";
  rank: number | null;
  refused: number;
  run_in: "process" | "container";
  short: string;
  starts: number;
  subject: string;
  text: string;
  tied: boolean;
  training_s: number | null;
  word: ("ahead" | "behind" | "equivalent" | "undecided") | null;
}
/**
 * `api/v1/classes.json`. `commands` measure the price of an ORM.
 */
export interface ClassesFile {
  api: "v1";
  classes: ClassOfAccess[];
  commands: string[];
  kind: "classes";
  prices: OrmPrices[];
  simulated: boolean;
}
/**
 * One class: `about` says which work its subjects do. Members are sorted by framework and variant.
 */
export interface ClassOfAccess {
  about: string;
  data_access: "orm" | "sql" | "none";
  members: Member[];
  page: string;
  standings: ClassStanding[];
  title: string;
}
/**
 * A variant of a class, as it was measured last.
 *
 * `release` is the release of the variant's framework, None where the program does not tell it. `since` is the first
 * session with this release.
 */
export interface Member {
  concurrency: string;
  framework: string;
  last: Link;
  release: string | null;
  since: Link | null;
  variant: string;
}
/**
 * A class under one scenario on one host (slugs): the leading measure as a table, the other measures in words.
 */
export interface ClassStanding {
  heading: string;
  host: string;
  host_class: "lab" | "shared" | "small";
  others: ClassMeasure[];
  scenario: string;
  table: Table;
}
/**
 * The result of a class by one more measure, in a sentence.
 */
export interface ClassMeasure {
  said: string;
  session: Link;
  title: string;
  where: string;
}
/**
 * The prices of an ORM in one session under one scenario.
 */
export interface OrmPrices {
  confidence: number;
  host: string;
  host_class: "lab" | "shared" | "small";
  rows: OrmPrice[];
  scenario: string;
  session: Link;
}
/**
 * A stack with an ORM beside the same stack without one, by one measure.
 *
 * `times` is the figure of the stack with an ORM as a multiple of the figure of the stack without, with its interval.
 * `word` is the decision about the stack with an ORM.
 */
export interface OrmPrice {
  times: string;
  title: string;
  where: string;
  with_orm: string;
  without: string;
  word: "ahead" | "behind" | "equivalent" | "undecided";
}
/**
 * `api/v1/studies.json`.
 */
export interface StudiesFile {
  api: "v1";
  kind: "studies";
  simulated: boolean;
  studies: Study[];
}
/**
 * A study: its question, the mistakes that a referee would have caught, and what keeps figures apart.
 *
 * `command` measures it again.
 */
export interface Study {
  caught: string[];
  caveats: string[];
  command: string;
  id: string;
  question: string;
  tables: StudyTable[];
  title: string;
  year: string;
}
/**
 * A question of a study. `session` is the session that answers it, None until there is such a session.
 */
export interface StudyTable {
  about: string;
  against: string;
  figures: StudyFigure[];
  host: string | null;
  metric: string;
  ruled: StudyRuled[];
  session: Link | null;
  summary: string;
  unit: string;
  where: string;
  why: string;
}
/**
 * A system of a study, in words as they are shown; a text is empty where there is nothing to show.
 *
 * `word` says how the ratio here relates to the published one, `tone` is good, warn or bad.
 */
export interface StudyFigure {
  measured: string;
  note: string;
  published: string;
  published_ratio: string;
  ratio: string;
  subject: string;
  system: string;
  tone: string;
  word: string;
}
/**
 * The rules that a system was asked about.
 */
export interface StudyRuled {
  said: StudyRuling[];
  system: string;
}
/**
 * The finding of a rule on a system of a study: the rule with its title, the outcome, a reading of it.
 */
export interface StudyRuling {
  outcome: "pass" | "warn" | "invalid" | "unknown" | "n/a";
  reading: string;
  rule: string;
}
/**
 * `api/v1/integrity.json`. `causes` counts what was left out by cause; `evidence` lists the sessions that are
 * shown although their evidence could not be read.
 */
export interface IntegrityFile {
  api: "v1";
  causes: {
    [k: string]: number;
  };
  evidence: LeftOut[];
  kind: "integrity";
  left_out: LeftOut[];
  records: number;
  shown: number;
  simulated: boolean;
}
/**
 * A record that is not on this site, or another file that can't be used (`ledger`, `quiet`).
 *
 * `folder` is its path below the data, as far as it can be shown safely.
 */
export interface LeftOut {
  cause:
    | "unreadable"
    | "manifest"
    | "shape"
    | "schema"
    | "changed"
    | "hostile"
    | "twice"
    | "ledger"
    | "quiet"
    | "simulated";
  folder: string;
  problem: string;
}
/**
 * `api/v1/rules.json`: every rule of today's referee, of `trials` measured trials in all.
 */
export interface RulesFile {
  api: "v1";
  kind: "rules";
  rules: RuleEntry[];
  simulated: boolean;
  trials: number;
  version: number;
}
/**
 * A rule with how often it spoke against a trial.
 *
 * `refused`, `doubted` and `unknown` count measured trials of all sessions of this site.
 */
export interface RuleEntry {
  asks: string;
  doubted: number;
  id: string;
  kind: "capacity" | "isolation" | "correctness" | "design";
  looks_at: string;
  mistake: string;
  needs: string[];
  refused: number;
  required: boolean;
  slug: string;
  soft: boolean;
  source: string;
  thresholds: RuleThreshold[];
  title: string;
  unknown: number;
}
/**
 * A number or a word that a rule compares readings with, and the reason for it.
 */
export interface RuleThreshold {
  name: string;
  reason: string;
  value: number | string;
}
/**
 * `api/v1/method.json`: docs/method.md, docs/glossary.md and the vocabulary of settings.
 */
export interface MethodFile {
  api: "v1";
  kind: "method";
  sections: Section[];
  settings: Term[];
  simulated: boolean;
  terms: Term[];
  title: string;
}
/**
 * A heading and what follows it.
 */
export interface Section {
  blocks: Block[];
  slug: string;
  title: string;
}
/**
 * A part of a text. `drawing` keeps its spaces; a list, `numbered` or not, has one text for each item,
 * a table has one tuple of cells for each row.
 *
 * Texts keep the marks `code`, *emphasis* and **strong** of their source; nothing else in them is markup.
 */
export interface Block {
  kind: "heading" | "paragraph" | "drawing" | "list" | "numbered" | "table";
  rows: string[][];
}
/**
 * A word of the glossary.
 */
export interface Term {
  meaning: string;
  slug: string;
  word: string;
}
/**
 * `api/v1/search.json`: pages, frameworks, subjects, scenarios, measures, settings, hosts, alerts,
 * terms, sections of the method, studies, rules, the newest 90 sessions.
 */
export interface SearchFile {
  api: "v1";
  entries: Found[];
  kind: "search";
  simulated: boolean;
}
/**
 * Something that can be searched for. `words` are lower case, besides the title.
 */
export interface Found {
  group:
    | "page"
    | "framework"
    | "subject"
    | "scenario"
    | "measure"
    | "setting"
    | "host"
    | "alert"
    | "term"
    | "run"
    | "study"
    | "rule"
    | "section";
  page: string;
  title: string;
  words: string;
}
/**
 * The pages that 404.html lists, and that the search page lists before a search.
 */
export interface WaysOn {
  api: "v1";
  kind: "ways-on";
  pages: Found[];
  simulated: boolean;
}
