package org.nyala.cluster;

/** A fault that is built into a simulation, which must then find it. */
enum SimulatedFault {
  /** Everything works as it should. */
  NONE,
  /** The log appends a proposal in another term than the one that it was made in. */
  NO_FENCE,
  /** The log commits what the leader alone has. */
  NO_MAJORITY,
  /** The store notes the place in the log in a transaction of its own, after the changes. */
  MARK_BESIDE
}
