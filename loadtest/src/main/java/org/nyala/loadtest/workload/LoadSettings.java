package org.nyala.loadtest.workload;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.sasl.ScramKeyStore;

/**
 * The settings of one load test: job, clients, server, duration.
 *
 * <p>Immutable.
 *
 * @param job the job of the clients
 * @param server the address on which the server listens
 * @param connections the number of concurrent connections, at least 1; an {@code authenticate}
 *     client holds two
 * @param threads event loops, at least 1
 * @param extent the duration of the work
 * @param people the people that requests are about
 * @param account the identity under which the connections that search or write are bound
 * @param pid process id of the server, whose CPU time is sampled; 0 for none
 * @param options the options of particular jobs
 * @param security the encryption of connections
 * @param pace the pace at which clients send, and the time they wait
 * @param others further servers over which connections are spread in turn; all take the same
 *     encryption
 */
public record LoadSettings(
    JobKind job,
    InetSocketAddress server,
    int connections,
    int threads,
    TestDuration extent,
    People people,
    Account account,
    long pid,
    JobOptions options,
    Security security,
    LoadRate pace,
    List<InetSocketAddress> others) {
  private static final int MAX_CONNECTIONS = 1_000_000;
  private static final int MAX_THREADS = 1024;

  public LoadSettings {
    require(
        connections >= 1 && connections <= MAX_CONNECTIONS,
        "--connections",
        "from 1 to " + MAX_CONNECTIONS,
        connections);
    others = List.copyOf(others);
    require(
        connections > others.size(),
        "--connections",
        "at least the number of servers of --url (" + (1 + others.size()) + ")",
        connections);
    require(
        threads >= 1 && threads <= MAX_THREADS, "--threads", "from 1 to " + MAX_THREADS, threads);
    require(pid >= 0, "--server-pid", "0 or above", pid);
    requireFor(isPipelined(job, options) || pace.depth() == 1, "--depth above 1", job);
    int clients = connections * pace.depth();
    int users = people.users();
    require(
        job != JobKind.RENAME || users >= clients,
        "--users",
        "at least the number of clients (" + clients + "), as each renames users of its own",
        users);
    require(
        shared(options, users, clients) >= 1,
        "--users",
        "above the number of clients ("
            + (users - shared(options, users, clients))
            + "), as each changes users of its own",
        users);
    requireOwnPeople(job, options, users, clients);
    require(
        job != JobKind.MIXED || !options.mix().jobs().isEmpty(),
        "--mix",
        "a list of jobs",
        "empty");
    requireOf((job == JobKind.REPLAY) == (options.replay() != null), "--log", JobKind.REPLAY);
    boolean isOfNames = job == JobKind.SEARCH || job == JobKind.BASE;
    requireFor(options.values().isPattern() || isOfNames, "--names", job);
    requireFor(!job.isPacedItself() || !pace.isOpen(), "--rate", job);
    requireFor(!job.isPacedItself() || pace.flow().think().seconds() == 0, "--think-time", job);
    options.rules().check(job, kinds(job, options).toList(), security);
    Synchronization sync = options.sync();
    requireFor(sync.goesWith(job), sync.isWanted() ? "--sync" : "--sync-cookie", job);
    boolean bindsPeople = job == JobKind.BIND || options.mix().jobs().contains(JobKind.BIND);
    requireFor(options.login().mechanism() == null || bindsPeople, "--people-mechanism", job);
    require(
        !options.login().isScram() || users <= ScramKeyStore.MOST_USERS,
        "--users",
        "at most " + ScramKeyStore.MOST_USERS + " for binds by SCRAM, whose keys are kept",
        users);
  }

  private static void requireOwnPeople(JobKind job, JobOptions options, int users, int clients) {
    boolean areReserved = job == JobKind.MIXED && options.setsOtherPasswords();
    require(
        areReserved
            || kinds(job, options).noneMatch(kind -> kind == JobKind.PASSWORD_MODIFY)
            || shared(options, users, clients) >= clients,
        "--users",
        "at least the number of clients ("
            + clients
            + "), as each sets passwords of its own people",
        users);
  }

  private static boolean isPipelined(JobKind job, JobOptions options) {
    Replay replay = options.replay();
    return job == JobKind.MIXED
        ? options.mix().jobs().stream().allMatch(options::isPipelined)
        : options.isPipelined(job) && (replay == null || !replay.hasBinds());
  }

  /** The number of requests that may be outstanding at once, one for each client. */
  public int clients() {
    return connections * pace.depth();
  }

  /** Returns whether answers have many entries. */
  public boolean readsEntries() {
    return job.countsEntries() || options.mix().jobs().stream().anyMatch(JobKind::countsEntries);
  }

  /** Returns whether operations have an intended start: on a schedule, or at the times of a log. */
  public boolean isScheduled() {
    return pace.isOpen() || options.replay() != null;
  }

  /** The number of event loops that have clients. */
  public int loops() {
    return Math.min(threads, connections);
  }

  /**
   * The number of users that the clients of all jobs of a mix may read: renamed ones are not found.
   */
  public int sharedUsers() {
    return shared(options, people.users(), clients());
  }

  private static int shared(JobOptions options, int users, int clients) {
    return users - clients * reserving(options).size();
  }

  /** The kinds of a mix whose people are none of the other kinds': these would not find them. */
  private static List<JobKind> reserving(JobOptions options) {
    return options.mix().jobs().stream()
        .filter(
            kind ->
                kind == JobKind.RENAME
                    || kind == JobKind.PASSWORD_MODIFY && options.setsOtherPasswords())
        .toList();
  }

  /** The place of the first user that is reserved for a kind of a mix, one for each client. */
  public int reservedUsers(JobKind kind) {
    return sharedUsers() + clients() * reserving(options).indexOf(kind);
  }

  /**
   * The times at which an event loop is to begin operations, in an open loop; null in a closed one.
   */
  public @Nullable Arrivals arrivals(int loop) {
    Replay replay = options.replay();
    if (replay == null && !pace.isOpen()) {
      return null;
    }
    if (loop >= loops()) {
      return Arrivals.NONE;
    }
    return replay == null
        ? pace.flow().arrivals(pace.rate(), loop, loops(), extent.warmupSeconds())
        : replay.arrivals(loop, loops());
  }

  /** A test of one server. */
  public LoadSettings(
      JobKind job,
      InetSocketAddress server,
      int connections,
      int threads,
      TestDuration extent,
      People people,
      Account account,
      long pid,
      JobOptions options,
      Security security,
      LoadRate pace) {
    this(
        job,
        server,
        connections,
        threads,
        extent,
        people,
        account,
        pid,
        options,
        security,
        pace,
        List.of());
  }

  /** All servers, over which connections are spread in turn. */
  public List<InetSocketAddress> servers() {
    return Stream.concat(Stream.of(server), others.stream()).toList();
  }

  /** The same test of further servers beside the first one. */
  public LoadSettings alsoOf(List<InetSocketAddress> more) {
    return with(account, options, more);
  }

  /** A test in a closed loop. */
  public LoadSettings(
      JobKind job,
      InetSocketAddress server,
      int connections,
      int threads,
      TestDuration extent,
      People people,
      Account account,
      long pid,
      JobOptions options) {
    this(
        job,
        server,
        connections,
        threads,
        extent,
        people,
        account,
        pid,
        options,
        Security.NONE,
        LoadRate.CLOSED);
  }

  /** The same test under another identity. */
  public LoadSettings as(Account other) {
    return with(other, options, others);
  }

  /** The same test with other options. */
  public LoadSettings with(JobOptions other) {
    return with(account, other, others);
  }

  private LoadSettings with(
      Account identity, JobOptions changed, List<InetSocketAddress> furtherServers) {
    return new LoadSettings(
        job,
        server,
        connections,
        threads,
        extent,
        people,
        identity,
        pid,
        changed,
        security,
        pace,
        furtherServers);
  }

  /** The same test of another length. */
  public LoadSettings lasting(double seconds, double warmupSeconds) {
    return with(connections, new TestDuration(seconds, warmupSeconds, extent.operations()), pace);
  }

  /** The same test at another pace. */
  public LoadSettings at(LoadRate other) {
    return with(connections, extent, other);
  }

  /** The same job done once by each of so many clients, with no limit of time. */
  public LoadSettings once(int clients) {
    return with(clients, TestDuration.ONCE, pace);
  }

  /**
   * The kinds of operations of which one alone shows what the server answers. None for jobs whose
   * set-up does so already, or whose operations differ.
   */
  public List<JobKind> kindsToTry() {
    return kinds().filter(kind -> kind.isTried(options.login().isScram())).toList();
  }

  /** So many operations of one kind of this job by one client, within the time for an answer. */
  public LoadSettings trial(JobKind kind, int operations) {
    double seconds = kind == JobKind.SCAN ? 1 : pace.timeOutSeconds();
    return new LoadSettings(
        kind,
        server,
        1,
        1,
        new TestDuration(Math.min(seconds, TestDuration.ENDLESS_SECONDS), 0, operations),
        people,
        account,
        0,
        options.alone(kind),
        security,
        new LoadRate(0, 1, pace.timeOutSeconds(), pace.intervalSeconds()));
  }

  /** The name of a person's entry, by the place among all, from 0 up. */
  public String dnOf(int person) {
    Patterns patterns = options.patterns();
    Targets values = options.values();
    return patterns == null
        ? values.rdn(values.number(person)) + "," + people.parent()
        : patterns.dn().text(person);
  }

  /** The value of the targets for a person likewise. */
  public String valueOf(int person) {
    Patterns patterns = options.patterns();
    Targets values = options.values();
    return patterns == null ? values.value(values.number(person)) : patterns.value().text(person);
  }

  /** The password of a person likewise; empty if it is not known. */
  public String passwordOf(int person) {
    Patterns patterns = options.patterns();
    if (patterns == null) {
      return UserPassword.passwordOf(options.values().number(person));
    }
    return patterns.password() == null ? "" : patterns.password().text(person);
  }

  /** The kinds of operations of this job that change entries of the server. */
  public List<JobKind> writingKinds() {
    Replay replay = options.replay();
    Stream<JobKind> all =
        replay == null ? kinds() : replay.steps().stream().map(Replay.Step::kind).distinct();
    return all.filter(JobKind::writes).toList();
  }

  /** The kinds of operations of this job in which people log in. */
  public List<JobKind> loginKinds() {
    return kinds().filter(JobKind::logsIn).toList();
  }

  private Stream<JobKind> kinds() {
    return kinds(job, options);
  }

  private static Stream<JobKind> kinds(JobKind job, JobOptions options) {
    return job == JobKind.MIXED ? options.mix().jobs().stream() : Stream.of(job);
  }

  /**
   * One login of each of the people, as fast as answers come, with no more connections than people.
   *
   * @param kind one of {@link #loginKinds}
   * @param seconds the longest time
   */
  public LoadSettings firstLogins(JobKind kind, double seconds) {
    int clients = Math.min(connections, people.users());
    int loops = Math.min(threads, clients);
    // Event loops take turns in the sequence, so that one with fewer clients must not end early.
    int each = Math.ceilDiv(people.users(), loops * (clients / loops));
    return new LoadSettings(
        kind,
        server,
        clients,
        threads,
        new TestDuration(seconds, 0, each),
        people,
        account,
        0,
        options.alone(kind),
        security,
        new LoadRate(0, 1, pace.timeOutSeconds(), pace.intervalSeconds()));
  }

  private LoadSettings with(int clients, TestDuration length, LoadRate rate) {
    return new LoadSettings(
        job,
        server,
        clients,
        threads,
        length,
        people,
        account,
        pid,
        options,
        security,
        rate,
        clients > others.size() ? others : others.subList(0, clients - 1));
  }

  static void requireFor(boolean holds, String option, JobKind job) {
    if (!holds) {
      throw new IllegalArgumentException(option + " does not go with the job " + job.label());
    }
  }

  private static void requireOf(boolean holds, String option, JobKind job) {
    if (!holds) {
      throw new IllegalArgumentException(
          option + " and the job " + job.label() + " go together only");
    }
  }

  /**
   * Throws {@link IllegalArgumentException} if an option's value is out of range.
   *
   * @param range the values that are possible, in words: {@code from 1 to 1024}
   * @param value the value that was found
   */
  public static void require(boolean holds, String option, String range, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(option + " must be " + range + ", not " + value);
    }
  }
}
