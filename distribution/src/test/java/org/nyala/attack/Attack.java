package org.nyala.attack;

/** Clients that harm the server with requests which are all well-formed, or try to. Immutable. */
interface Attack {
  /** A short name, for reports. */
  String name();

  /** Starts its connections, which go on until the run is over. */
  void start(AttackRun run) throws Exception;
}
