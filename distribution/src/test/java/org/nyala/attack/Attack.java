package org.nyala.attack;

/** Clients that harm the server with well-formed requests, or try to. Immutable. */
interface Attack {
  /** A short name, for reports. */
  String name();

  /** Starts its connections, which continue until the run is over. */
  void start(AttackRun run) throws Exception;
}
