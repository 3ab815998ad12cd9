package org.nyala.loadtest;

import java.util.Locale;

/** What the simulated clients do over and over. */
enum JobKind {
  /** Searches one person by uid on a standing connection, all user attributes. */
  SEARCH("operations"),
  /** Binds as a person with the right password, again and again on a standing connection. */
  BIND("operations"),
  /** Searches a person on a service connection, then binds as the DN found on another one. */
  AUTHENTICATE("operations"),
  /** Connects, binds as a person, searches the person, unbinds. */
  CONNECT("operations"),
  /** Reads the whole subtree. */
  SCAN("entries");

  private final String unit;

  JobKind(String unit) {
    this.unit = unit;
  }

  /** What a rate of this job counts. */
  String unit() {
    return unit;
  }

  /** The name on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
