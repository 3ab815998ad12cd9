package org.nyala.loadtest.failover;

import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Option;

/** The options of the entry that a test writes below. Set by picocli, then only read. */
final class GroundOptions {
  @Option(
      names = "--base",
      paramLabel = "DN",
      description = "an entry ou=NAME,PARENT that is not there; the test adds it, and removes it")
  private String base;

  @Option(names = "--writes", description = "allow the test to write below the parent of --base")
  private boolean writes;

  /** Takes the default of {@code --base}. */
  GroundOptions(String base) {
    this.base = base;
  }

  /**
   * Returns the entry.
   *
   * @throws IllegalArgumentException if writes are not allowed, or the DN is none
   */
  Tree tree() {
    LoadSettings.require(
        writes, "--writes", "given, as this test adds, modifies and deletes entries", "left out");
    return new Tree(base);
  }
}
