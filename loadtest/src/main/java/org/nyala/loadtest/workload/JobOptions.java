package org.nyala.loadtest.workload;

import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Controls;

/**
 * What is particular to some jobs. Immutable.
 *
 * @param attribute what {@code modify} and {@code modify-each} replace; a string of digits must be
 *     a value of it
 * @param sortKey what {@code vlv} sorts by, see {@link Controls#sort}
 * @param pageSize entries of a page of {@code paged}, at least 1
 * @param window entries of a window of {@code vlv}, at least 1
 * @param values whom requests are about, and in which order
 * @param mix what {@code mixed} does
 * @param replay what {@code replay} does; null for others
 * @param checkEvery one answer of so many is decoded as a whole and looked at closely, at least 1
 */
public record JobOptions(
    String attribute,
    String sortKey,
    int pageSize,
    int window,
    Targets values,
    Mix mix,
    @Nullable Replay replay,
    int checkEvery) {
  public static final int DEFAULT_CHECK_EVERY = 64;

  public static final JobOptions DEFAULT =
      new JobOptions("description", "uid:caseIgnoreOrderingMatch", 500, 20);

  public JobOptions {
    LoadSettings.require(pageSize >= 1, "--page-size", pageSize);
    LoadSettings.require(window >= 1, "--window", window);
    LoadSettings.require(checkEvery >= 1, "--check-every", checkEvery);
  }

  /** For the people, by chance. */
  public JobOptions(String attribute, String sortKey, int pageSize, int window) {
    this(attribute, sortKey, pageSize, window, Targets.PEOPLE, Mix.NONE, null, DEFAULT_CHECK_EVERY);
  }

  /** The same about others. */
  public JobOptions with(Targets others) {
    return new JobOptions(attribute, sortKey, pageSize, window, others, mix, replay, checkEvery);
  }

  /** The same with a mix. */
  public JobOptions with(Mix other) {
    return new JobOptions(attribute, sortKey, pageSize, window, values, other, replay, checkEvery);
  }
}
