package org.nyala.loadtest;

/**
 * What is particular to some jobs. Immutable.
 *
 * @param attribute what {@code modify} and {@code modify-each} replace; a string of digits must be
 *     a value of it
 * @param sortKey what {@code vlv} sorts by, see {@link Controls#sort}
 * @param pageSize entries of a page of {@code paged}, at least 1
 * @param window entries of a window of {@code vlv}, at least 1
 */
record JobOptions(String attribute, String sortKey, int pageSize, int window) {
  static final JobOptions DEFAULT =
      new JobOptions("description", "uid:caseIgnoreOrderingMatch", 500, 20);

  JobOptions {
    LoadSettings.require(pageSize >= 1, "--page-size", pageSize);
    LoadSettings.require(window >= 1, "--window", window);
  }
}
