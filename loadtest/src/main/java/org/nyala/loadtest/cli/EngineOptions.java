package org.nyala.loadtest.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.ldap.RequestControls;
import org.nyala.loadtest.options.TlsOptions;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadFlow;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.RateProfile;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.RequestRules;
import org.nyala.loadtest.workload.Synchronization;
import org.nyala.loadtest.workload.ThinkTime;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options of requests, of their pace, and of the checks of answers. Confined to the thread that
 * runs the command.
 */
final class EngineOptions {

  @Option(
      names = "--rate",
      paramLabel = "R",
      description =
          "begin so many operations a second on a schedule that waits for no answer, and count"
              + " times from it; 0: each client begins when its last answer is there")
  private double rate;

  @Option(
      names = "--arrivals",
      paramLabel = "KIND",
      description =
          "--rate, --ramp, --steps: constant distances between operations, or poisson: by chance, as"
              + " those of many people")
  private String arrivals = "constant";

  @Option(
      names = "--arrivals-seed",
      paramLabel = "S",
      description = "the same seed has the same arrivals")
  private long arrivalsSeed;

  @Option(
      names = "--ramp",
      paramLabel = "FROM:TO:SECONDS",
      description =
          "a rate that goes evenly from one value to another: 100:1000:60s. The test lasts as long"
              + " unless --seconds says otherwise, at the last rate")
  private @Nullable String ramp;

  @Option(
      names = "--steps",
      paramLabel = "RATE:SECONDS,...",
      description = "one rate after the other likewise: 100:10s,200:10s")
  private @Nullable String steps;

  @Option(
      names = "--think-time",
      paramLabel = "TIME",
      description =
          "without a rate: time between an answer and the next operation of a client: 0.5, 500ms,"
              + " exponential:2s")
  private String thinkTime = "0";

  @Option(
      names = "--depth",
      description = "requests that may be outstanding on a connection (not of every job)")
  private int depth = LoadRate.CLOSED.depth();

  @Option(
      names = "--time-out",
      paramLabel = "SECONDS",
      description = "how long an answer is waited for before it is counted as a time-out")
  private double timeOut = LoadRate.CLOSED.timeOutSeconds();

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "how often progress is sampled")
  private double interval = LoadRate.CLOSED.intervalSeconds();

  @Option(
      names = "--mix",
      paramLabel = "JOB=N,...",
      description =
          "mixed: every client does these jobs by chance and weight, or test008: as slapd's own"
              + " test does")
  private @Nullable String mix;

  @Option(
      names = "--at-once",
      paramLabel = "N",
      split = ",",
      description = "scan: a table of so many clients at once, twice each: 1,2,4,8,16")
  private List<Integer> atOnce = List.of();

  @Option(
      names = "--sync",
      description =
          "scan: as a content synchronization (RFC 4533, refreshOnly) of all attributes, with the"
              + " operational ones")
  private boolean sync;

  @Option(
      names = "--sync-cookie",
      paramLabel = "TEXT",
      description =
          "scan --sync, follow: a cookie of the server to begin from, instead of the whole content")
  private String syncCookie = "";

  @Option(
      names = "--log",
      paramLabel = "FILE",
      description = "replay: an access log with slapd's lines")
  private @Nullable Path log;

  @Option(
      names = "--log-writes",
      description =
          "replay: send changes too: modifications as a replacement of --attribute in the same"
              + " entry, deletions as they are")
  private boolean writesLog;

  @Option(
      names = "--speed",
      paramLabel = "X",
      description = "replay: so many times as fast as it was logged")
  private double speed = 1;

  @Option(
      names = "--check-every",
      paramLabel = "K",
      description =
          "decode and check every K-th answer as a whole; all are checked for their names")
  private int checkEvery = JobOptions.DEFAULT_CHECK_EVERY;

  @Option(
      names = "--control",
      paramLabel = "OID[:true|false][:VALUE]",
      description =
          "send a control with every request of the job: critical or not (default: false), with a"
              + " value as text, or in base64 behind ::; may be repeated")
  private List<String> controls = List.of();

  @Option(
      names = "--as-person",
      description =
          "password-modify: bind as the person before each change, as a part of the operation")
  private boolean bindsAsPerson;

  @Option(
      names = "--follow-referrals",
      paramLabel = "HOPS",
      arity = "0..1",
      fallbackValue = "10",
      description =
          "ask the servers that referrals name, under the same identity, over so many of them one"
              + " after the other (${FALLBACK-VALUE} if not given); 0: a referral is a failure")
  private int referralHops;

  @Option(
      names = "--resume",
      description = "tls-handshake: resume the session of the client's handshake before")
  private boolean resumesTls;

  @Mixin private TlsOptions tls = new TlsOptions();

  @Option(
      names = "--wrong-passwords",
      paramLabel = "N",
      description =
          "stop after so many wrong passwords, so that the test locks nobody out; 0: no bound")
  private int wrongPasswords = JobOptions.DEFAULT_WRONG_PASSWORDS;

  @Option(
      names = "--writes",
      description = "jobs that write: change data that are not those of bin/nyala sample")
  private boolean writes;

  @Option(
      names = "--first-logins",
      paramLabel = "SECONDS",
      description =
          "jobs that log in: each person logs in once before the load, for at most so long, since a"
              + " server may remember logins; 0: nobody does")
  private double firstLogins = 60;

  @Option(
      names = "--no-trial",
      description =
          "begin the load without a trial operation of each kind, and whatever the server answers")
  private boolean isWithoutTrial;

  private @Nullable Replay replay;

  /** Returns whether data other than those of the sample may be changed. */
  boolean mayWrite() {
    return writes;
  }

  /** Returns whether an operation of each kind is tried before the load begins. */
  boolean isTried() {
    return !isWithoutTrial;
  }

  /** The longest time for the first logins of people, in seconds; 0 for none. */
  double firstLoginSeconds() {
    LoadSettings.require(
        firstLogins >= 0 && firstLogins <= 1e6,
        "--first-logins",
        "from 0 to 1000000",
        FigureText.count(firstLogins));
    return firstLogins;
  }

  /** The jobs to run: those of the command, or one mix of several. */
  List<JobKind> jobs(List<JobKind> jobs) {
    return mix == null ? jobs : List.of(JobKind.MIXED);
  }

  /** The numbers of concurrent clients to make a table of; empty for no table. */
  List<Integer> atOnce() {
    return atOnce;
  }

  /**
   * Returns the number of users: that of the subject, else {@code said}, or a default for jobs
   * without users; 0 means not given.
   */
  int users(
      JobKind job,
      int said,
      PatternOptions.Subject subject,
      Account account,
      String people,
      String attribute)
      throws IOException {
    replay = log == null ? null : replay(new Replay.Rules(account, people, attribute, writesLog));
    if (subject.people() != 0) {
      return subject.people();
    }
    boolean isWithoutUsers = job.isWithoutPeople() || log != null;
    int count = replay == null ? 1 : replay.steps().size();
    return said == 0 && isWithoutUsers ? count : said;
  }

  /** Returns whether the operations are those of a log. */
  boolean isReplay() {
    return log != null;
  }

  /** The kinds of operations of jobs. */
  Stream<JobKind> kinds(List<JobKind> jobs) {
    return mix == null ? jobs.stream() : Mix.parse(mix).jobs().stream();
  }

  private Replay replay(Replay.Rules rules) throws IOException {
    return replay == null
        ? Replay.read(java.util.Objects.requireNonNull(log), speed, rules)
        : replay;
  }

  /** The options of particular jobs; the number of users must be known. */
  JobOptions options(JobOptions others, PatternOptions.Subject subject) {
    return new JobOptions(
        others.attribute(),
        others.sortKey(),
        others.pageSize(),
        others.window(),
        subject.values(),
        mix == null ? Mix.NONE : Mix.parse(mix),
        replay,
        checkEvery,
        others.login(),
        others.sync(),
        wrongPasswords,
        subject.patterns(),
        new RequestRules(new RequestControls(controls), resumesTls, bindsAsPerson, referralHops));
  }

  Synchronization sync() {
    return new Synchronization(sync, syncCookie);
  }

  LoadRate pace() {
    LoadSettings.require(
        List.of("constant", "poisson").contains(arrivals),
        "--arrivals",
        "constant or poisson",
        arrivals);
    RateProfile profile = profile();
    LoadFlow flow =
        new LoadFlow("poisson".equals(arrivals), arrivalsSeed, profile, ThinkTime.parse(thinkTime));
    double mean = profile.isSteady() ? rate : profile.meanRate();
    return new LoadRate(mean, depth, timeOut, interval, flow);
  }

  /** The rate over time. */
  private RateProfile profile() {
    if ((ramp == null ? 0 : 1) + (steps == null ? 0 : 1) + (rate > 0 ? 1 : 0) > 1) {
      throw new IllegalArgumentException("--rate, --ramp and --steps do not go together");
    }
    return ramp != null
        ? RateProfile.ramp(ramp)
        : steps != null ? RateProfile.steps(steps) : RateProfile.STEADY;
  }

  /** The length of a test without --seconds: that of the changing rate, if there is one. */
  double seconds(double otherwise) {
    RateProfile profile = profile();
    return profile.isSteady() ? otherwise : profile.seconds();
  }

  TlsOptions tls() {
    return tls;
  }
}
