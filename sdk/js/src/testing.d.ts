import type { Agent, AgentRecord, ConnectOptions, Host, SwitchboardModule, ToolResult, Transport } from './index.js'

export interface MockHostOptions {
  /** A manifest of any dialect. */
  manifest: Record<string, any>
  settings?: Record<string, unknown>
  /** Fake agents and terminals; connected ones are linked. */
  agents?: AgentRecord[]
  /** The permissions that are granted; those of the manifest without it. */
  permissions?: string[]
  /** Answers of methods, in place of the mock's own. */
  methods?: Record<string, (params: any, host: MockHost) => unknown>
}

export interface MockHost {
  readonly transport: Transport
  /** Every request of the extension, in order. */
  readonly calls: Array<{ method: string; params: any }>
  readonly logs: Array<{ level: string; message: string }>
  readonly progress: Array<{ callId: string; message: string }>
  readonly storage: { instance: Map<string, unknown>; package: Map<string, unknown> }
  readonly enabled: Map<string, boolean>
  readonly prompts: any[]
  /** The files of the workspace folder, by path. */
  readonly files: Map<string, string>
  /** What servers answer, by address: status, headers, body or json. */
  readonly responses: Map<string, Record<string, unknown>>
  readonly commands: any[]
  agents: AgentRecord[]
  connect(options?: ConnectOptions): Promise<Host>
  load(module: SwitchboardModule | { default: SwitchboardModule }): Promise<Host>
  callTool(
    tool: string,
    args?: Record<string, unknown>,
    options?: { agent?: Agent; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<{ result?: ToolResult | any; error?: string }>
  setSettings(values: Record<string, unknown>, secrets?: Record<string, boolean>): void
  emit(event: string, data: unknown): boolean
}

export function createMockHost(options: MockHostOptions): MockHost
