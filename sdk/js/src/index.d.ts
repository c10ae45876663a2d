/** The codes of errors that the host answers with. */
export type ErrorCode =
  | 'BAD_REQUEST' | 'INVALID_PARAMS' | 'METHOD_NOT_FOUND' | 'PROTOCOL_MISMATCH' | 'NOT_READY' | 'PERMISSION_DENIED'
  | 'HOST_NOT_ALLOWED' | 'FS_DENIED' | 'FS_ERROR' | 'NOT_FOUND' | 'QUOTA_EXCEEDED' | 'NOT_CONNECTED' | 'NOT_VISIBLE'
  | 'BUDGET_PAUSED' | 'BUSY' | 'RATE_LIMITED' | 'TOO_LARGE' | 'TIMEOUT' | 'UNAVAILABLE' | 'USER_CANCELLED'
  | 'NETWORK_ERROR' | 'INTERNAL'

export interface Issue {
  path: string
  keyword?: string
  message: string
}

/** What the host, or the connection to it, answered instead of a result. */
export class CardSdkError extends Error {
  readonly code: ErrorCode
  /** The host's own sentence, fit to be shown to people. */
  readonly hostMessage: string
  readonly method?: string
  readonly data?: unknown
  /** What to do about it, for the author. */
  readonly hint?: string
  readonly retryAfterMs?: number
  readonly permission?: string
  readonly issues?: Issue[]
}

export function isCardSdkError(error: unknown, code?: ErrorCode): error is CardSdkError

/** One item of an answer: a text, or an image in base64. */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' }

export interface ToolResult {
  content: ToolContent[]
  isError?: boolean
}

/** An answer that says what went wrong; the agent reads the text. */
export function toolError(text: string): ToolResult

/**
 * A line for a POSIX shell out of a program and its arguments. Use it for every
 * argument that an agent, a file or the web had a hand in.
 */
export function quote(argv: ReadonlyArray<string | number>): string

export interface Agent {
  id: string
  name: string
}

/** One call of a tool. */
export interface ToolCall {
  readonly callId: string
  readonly tool: string
  /** Who calls. */
  readonly agent: Agent
  /** When the call is answered at the latest, in epoch milliseconds. */
  readonly deadline: number | undefined
  /** Aborted when the call was cancelled or took too long; nothing is sent afterwards. */
  readonly signal: AbortSignal
  /** Says how far it is, in at most 200 characters; lines that come too close give way to the newest. */
  progress(text: string): void
}

/** Nothing becomes "OK", a string a text, { content } goes as it is, all else becomes JSON. */
export type ToolHandler<Args = Record<string, unknown>> = (args: Args, call: ToolCall) => unknown

export type Remove = () => void

export type AgentStatus = 'working' | 'needs-input' | 'finished' | 'idle' | 'exited'

export interface AgentRecord {
  id: string
  name: string
  harness: string
  kind: 'ai' | 'shell'
  status: AgentStatus
  /** The user has linked it to this extension. */
  connected: boolean
  sessionTitle?: string
  turnStartedAt?: number
  lastTurn?: { startedAt: number | null; endedAt: number; endedAs: 'finished' | 'needs-input' }
  model?: string
}

/** A stretch of time in epoch milliseconds; until is exclusive, now without it. */
export interface Window {
  since: number
  until?: number
}

/** Figures of an agent; null is "not reported". Money is in millionths of a dollar. */
export interface AgentUsage {
  agentId: string
  harness: string
  since: number
  until: number
  status: AgentStatus
  usageReadable: boolean
  prompts: number
  requests: number | null
  inputTokens: number | null
  outputTokens: number | null
  reasoningTokens: number | null
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  totalTokens: number | null
  costMicroUsd: number | null
  costPartial: boolean
  elapsedMs: number | null
  workingMs: number | null
  firstPromptAt: number | null
  lastFinishedAt: number | null
  timingComplete: boolean
  scannedAt: number
  model?: string
  provider?: string
  subagents?: Record<string, number | null>
  mainOnly?: Record<string, number | null>
}

export interface AgentTimeline {
  agentId: string
  harness: string
  since: number
  until: number
  usageReadable: boolean
  requestTimes: 'start-end' | 'end' | 'none'
  truncated: boolean
  scannedAt: number
  requests: Array<Record<string, unknown>>
  statuses: Array<{ status: AgentStatus; from: number; to: number }>
  turns: Array<{ start: number; end: number | null; endedAs?: string; counted: boolean }>
}

export interface Agents {
  list(): Promise<AgentRecord[]>
  get(agentId: string): Promise<AgentRecord>
  readScreen(agentId: string, options?: { lines?: number }): Promise<{ text: string }>
  lastReply(agentId: string): Promise<{ text: string | null; at: number | null }>
  /**
   * Gives a linked agent a prompt. Never forward text from the web, a file or another
   * card into a prompt without showing it to the user; prefer submit: false for text
   * that is not your own.
   */
  prompt(
    agentId: string,
    text: string,
    options?: { submit?: boolean; whenBusy?: 'queue' | 'send' | 'fail' },
  ): Promise<{ delivered: 'sent' | 'queued' | 'inserted' }>
  usage(agentId: string, window: Window): Promise<AgentUsage>
  timeline(agentId: string, window: Window): Promise<AgentTimeline>
  onStatus(listener: (event: { agentId: string; status: AgentStatus; at: number }) => void, agentId?: string): Remove
  onTurn(listener: (event: { agentId: string; phase: 'start' | 'end'; at: number }) => void, agentId?: string): Remove
  onChanged(listener: (event: { agents: AgentRecord[] }) => void): Remove
  onOutput(agentIds: string | string[], listener: (event: { agentId: string; text: string; at: number }) => void): Remove
}

export interface Terminals {
  /** Runs a command in a linked terminal, with the user's full rights. Build it with quote(). */
  run(
    agentId: string,
    command: string,
    options?: { timeoutMs?: number },
  ): Promise<{ exitCode: number | null; output: string; truncated: boolean; timedOut: boolean }>
  write(agentId: string, text: string, options?: { submit?: boolean }): Promise<void>
}

export interface StorageScope {
  get<T = unknown>(key: string): Promise<T | null>
  has(key: string): Promise<boolean>
  set(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
  clear(): Promise<void>
  keys(prefix?: string): Promise<string[]>
  usage(): Promise<{ bytes: number; quota: number; keys: number }>
  onChanged(listener: (event: { scope: string; key: string }) => void): Remove
}

export interface FetchOptions {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** {{secret:KEY}} in a value is filled in by the host from a secret setting. */
  headers?: Record<string, string>
  body?: string
  bodyEncoding?: 'text' | 'base64'
  responseType?: 'text' | 'json' | 'base64'
  timeoutMs?: number
  /** Names the request for abort(). */
  requestId?: string
}

/** What a server answered, whatever its status. */
export interface FetchAnswer {
  requestId: string
  status: number
  statusText: string
  /** Keys are in lower case. */
  headers: Record<string, string>
  /** That which answered, after redirects. */
  url: string
  body?: string
  json?: any
  /** The body was longer than 10 MiB. */
  truncated?: boolean
}

/** Requests by the host, to the hosts of the permission network, or to this computer with network.local. */
export interface Net {
  fetch(url: string, options?: FetchOptions): Promise<FetchAnswer>
  abort(requestId: string): Promise<void>
  stream(
    url: string,
    options: Omit<FetchOptions, 'responseType'>,
    onChunk: (chunk: { requestId: string; chunk: string; encoding: 'text' | 'base64' }) => void,
  ): Promise<FetchAnswer>
}

export interface FileStat {
  path: string
  type: 'file' | 'directory'
  size: number
  mtimeMs: number
}

/** The workspace folder, with fs.read or fs.write. What steers agents and builds is never written. */
export interface Files {
  stat(path: string): Promise<FileStat>
  list(
    path?: string,
    options?: { recursive?: boolean; maxEntries?: number },
  ): Promise<{ entries: Array<{ path: string; type: 'file' | 'directory'; size?: number }>; truncated: boolean }>
  read(
    path: string,
    options?: { encoding?: 'utf8' | 'base64'; maxBytes?: number },
  ): Promise<{ data: string; encoding: 'utf8' | 'base64'; size: number; truncated: boolean }>
  /** Fails with FS_ERROR and data.conflict when the file changed since ifMtimeMs. */
  write(
    path: string,
    data: string,
    options?: { encoding?: 'utf8' | 'base64'; createDirs?: boolean; ifMtimeMs?: number },
  ): Promise<FileStat>
  mkdir(path: string): Promise<FileStat>
  trash(path: string): Promise<void>
  watch(
    path: string,
    listener: (event: { watchId: string; path: string; type: string }) => void,
    options?: { recursive?: boolean },
  ): Promise<() => Promise<void>>
}

export interface Settings {
  values: Record<string, unknown>
  /** Which secrets are set; their values stay with the host. */
  secrets: Record<string, boolean>
}

export interface Tools {
  /**
   * Answers calls of a declared tool until the returned function is called; a second
   * handler for the same tool is an error.
   */
  handle<Args = Record<string, unknown>>(tool: string, handler: ToolHandler<Args>): Remove
  /** Hides or shows one of the declared tools, for every agent. */
  setEnabled(tool: string, enabled: boolean): Promise<void>
  readonly handled: string[]
}

export interface Host {
  /** What the host told at the start: instance, workspace, settings, permissions, limits. */
  readonly context: Record<string, any>
  readonly tools: Tools
  readonly host: {
    supports(method: string): boolean
    capabilities(): Promise<{ protocol: number; methods: string[]; events: string[] }>
  }
  readonly log: Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>
  readonly settings: Settings & {
    get(): Promise<Settings>
    set(values: Record<string, unknown>): Promise<Settings>
    onChanged(listener: (settings: Settings) => void): Remove
  }
  readonly storage: StorageScope & { instance: StorageScope; package: StorageScope }
  readonly permissions: { list(): Promise<Array<{ id: string; granted: boolean; optional: boolean; hosts?: string[] }>> }
  readonly workspace: { get(): Promise<{ id: string; name: string; path?: string } | null> }
  readonly agents: Agents
  readonly usage: { summary(period: 'today' | '7d' | '30d'): Promise<Record<string, unknown>> }
  readonly terminals: Terminals
  readonly net: Net
  readonly fs: Files
  /** Any method of the protocol, and any event. */
  request(method: string, params?: Record<string, unknown>): Promise<any>
  on(event: string, listener: (data: any) => void): Remove
  /** Runs before the extension is suspended or ended. */
  onSuspend(listener: () => unknown): Remove
  readonly closed: Promise<void>
  close(): void
}

export interface Transport {
  envelope?: 'card'
  token?: string
  send(message: unknown): void
  close(): void
  onMessage?: (message: any) => void
  onClose?: (why?: string) => void
  ends?: (rpc: unknown, host: Host) => void
}

export interface ConnectOptions {
  /** Instead of the one that is found. */
  transport?: Transport
  /** Handlers that the host is told of at once. */
  handlers?: Record<string, ToolHandler<any>>
}

/** A transport for connect(), for programs and pages outside of Meterbridge. */
export function webSocketTransport(url: string, token: string): Promise<Transport>

export function connect(options?: ConnectOptions): Promise<Host>

/** What the handlers of a Switchboard extension get besides their arguments. */
export interface SwitchboardContext {
  callId: string
  agent: Agent
  deadline: number | undefined
  signal: AbortSignal
  progress(text: string): void
  log: Host['log']
  settings: Host['settings']
}

/** The default export of a Switchboard module. Any JSON value is an answer. */
export interface SwitchboardModule {
  mcpTools: Record<string, (args: any, ctx: SwitchboardContext) => unknown>
}

export const version: string
