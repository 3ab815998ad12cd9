package org.nyala.loadtest.workload;

import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Controls;

/**
 * The options of particular jobs. Immutable.
 *
 * @param attribute the attribute that {@code modify} and {@code modify-each} replace; a string of
 *     digits must be a value of it
 * @param sortKey the sort key of {@code vlv}, see {@link Controls#sort}
 * @param pageSize entries of a page of {@code paged}, at least 1
 * @param window entries of a window of {@code vlv}, at least 1
 * @param values the targets of requests, and their order
 * @param mix the jobs of {@code mixed}
 * @param replay the operations of {@code replay}; null for others
 * @param checkEvery the distance between two answers that are decoded as a whole and checked
 *     closely, at least 1
 * @param login the way in which {@code bind} binds people
 * @param sync the synchronization of {@code scan} and {@code follow}
 * @param mostWrongPasswords the number of wrong passwords after which a test stops, so that it
 *     locks nobody out; 0 for no bound
 * @param patterns the patterns of requests; null for the people of the sample, or named like them
 * @param rules the ways in which requests are sent
 */
public record JobOptions(
    String attribute,
    String sortKey,
    int pageSize,
    int window,
    Targets values,
    Mix mix,
    @Nullable Replay replay,
    int checkEvery,
    PeopleLogin login,
    Synchronization sync,
    int mostWrongPasswords,
    @Nullable Patterns patterns,
    RequestRules rules) {
  public static final int DEFAULT_CHECK_EVERY = 64;
  public static final int DEFAULT_WRONG_PASSWORDS = 5;

  public static final JobOptions DEFAULT =
      new JobOptions("description", "uid:caseIgnoreOrderingMatch", 500, 20);

  public JobOptions {
    LoadSettings.require(pageSize >= 1, "--page-size", "1 or above", pageSize);
    LoadSettings.require(window >= 1, "--window", "1 or above", window);
    LoadSettings.require(checkEvery >= 1, "--check-every", "1 or above", checkEvery);
    LoadSettings.require(
        mostWrongPasswords >= 0, "--wrong-passwords", "0 or above", mostWrongPasswords);
  }

  /** Options for jobs about the people, chosen by chance. */
  public JobOptions(String attribute, String sortKey, int pageSize, int window) {
    this(attribute, sortKey, pageSize, window, Targets.PEOPLE, Mix.NONE, null, DEFAULT_CHECK_EVERY);
  }

  /** Options with which people bind simply. */
  public JobOptions(
      String attribute,
      String sortKey,
      int pageSize,
      int window,
      Targets values,
      Mix mix,
      @Nullable Replay replay,
      int checkEvery) {
    this(
        attribute,
        sortKey,
        pageSize,
        window,
        values,
        mix,
        replay,
        checkEvery,
        PeopleLogin.SIMPLE,
        Synchronization.NONE,
        DEFAULT_WRONG_PASSWORDS,
        null,
        RequestRules.NONE);
  }

  /** The same options with another way of binding people. */
  public JobOptions with(PeopleLogin other) {
    return with(values, mix, other, sync, mostWrongPasswords);
  }

  /** The same options with other targets. */
  public JobOptions with(Targets other) {
    return with(other, mix, login, sync, mostWrongPasswords);
  }

  /** The same options with another synchronization. */
  public JobOptions with(Synchronization other) {
    return with(values, mix, login, other, mostWrongPasswords);
  }

  /** The same options with another bound of wrong passwords. */
  public JobOptions withWrongPasswords(int most) {
    return with(values, mix, login, sync, most);
  }

  /**
   * The options of one kind of operations, so that it may be a job of its own beside any other:
   * what belongs to other kinds is left out. Logins go from person to person.
   */
  JobOptions alone(JobKind kind) {
    return new JobOptions(
        attribute,
        sortKey,
        pageSize,
        window,
        kind.logsIn() ? values.inOrder(Targets.Order.SEQUENTIAL, values.skew()) : values,
        Mix.NONE,
        kind == JobKind.REPLAY ? replay : null,
        checkEvery,
        kind == JobKind.BIND ? login : PeopleLogin.SIMPLE,
        sync.goesWith(kind) ? sync : Synchronization.NONE,
        mostWrongPasswords,
        patterns,
        rules.alone(kind));
  }

  /** Returns whether passwords are set to others, and back. */
  public boolean setsOtherPasswords() {
    return patterns != null && patterns.newPassword() != null;
  }

  /** Returns whether a client of a kind may have several requests outstanding on its connection. */
  public boolean isPipelined(JobKind kind) {
    return kind.isPipelined() && !bindsPeople(kind);
  }

  /** Returns whether the identity of the command line is bound on the connections of a kind. */
  public boolean isServiceBound(JobKind kind) {
    return kind.isServiceBound() && !bindsPeople(kind);
  }

  private boolean bindsPeople(JobKind kind) {
    return kind == JobKind.PASSWORD_MODIFY && rules.bindsAsPerson();
  }

  /** The same options with other ways of sending requests. */
  public JobOptions with(RequestRules other) {
    return new JobOptions(
        attribute,
        sortKey,
        pageSize,
        window,
        values,
        mix,
        replay,
        checkEvery,
        login,
        sync,
        mostWrongPasswords,
        patterns,
        other);
  }

  private JobOptions with(
      Targets targets, Mix jobs, PeopleLogin binds, Synchronization copies, int wrongPasswords) {
    return new JobOptions(
        attribute,
        sortKey,
        pageSize,
        window,
        targets,
        jobs,
        replay,
        checkEvery,
        binds,
        copies,
        wrongPasswords,
        patterns,
        rules);
  }
}
