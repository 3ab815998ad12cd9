package org.nyala.loadtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.ldap.RequestControls;
import org.nyala.loadtest.sasl.Mechanism;

class LoadSettingsTest {
  private static final Mix MIX =
      Mix.parse("search=1,bind=1,authenticate=1,connect=1,scan=1,modify=1");

  private static final Replay LOG =
      new Replay(List.of(new Replay.Step(JobKind.SEARCH, new byte[2], 0)), List.of(0L), Map.of());

  /** Options that go with some jobs only, beside the default. */
  private static final Map<String, JobOptions> OPTIONS =
      Map.of(
          "none",
          JobOptions.DEFAULT,
          "--sync",
          JobOptions.DEFAULT.with(new Synchronization(true, "")),
          "--sync --sync-cookie",
          JobOptions.DEFAULT.with(new Synchronization(true, "rid=1")),
          "--sync-cookie",
          JobOptions.DEFAULT.with(new Synchronization(false, "rid=1")),
          "--people-mechanism",
          JobOptions.DEFAULT.with(new PeopleLogin(Mechanism.SCRAM_SHA_256, "%u")),
          "--resume",
          JobOptions.DEFAULT.with(new RequestRules(RequestControls.NONE, true, false, 0)),
          "--as-person --follow-referrals",
          JobOptions.DEFAULT.with(new RequestRules(RequestControls.NONE, false, true, 10)),
          "--log",
          replaying(),
          "--mix",
          ChangedOptions.of(JobOptions.DEFAULT, MIX),
          "--mix --people-mechanism",
          ChangedOptions.of(JobOptions.DEFAULT, MIX)
              .with(new PeopleLogin(Mechanism.SCRAM_SHA_256, "%u")));

  private static JobOptions replaying() {
    JobOptions options = JobOptions.DEFAULT;
    return new JobOptions(
        options.attribute(),
        options.sortKey(),
        options.pageSize(),
        options.window(),
        options.values(),
        options.mix(),
        LOG,
        options.checkEvery());
  }

  /** The settings of a job with an option; none if they do not go together. */
  private static Stream<LoadSettings> settings(JobKind job, JobOptions options) {
    try {
      return Stream.of(
          new LoadSettings(
              job,
              new InetSocketAddress("localhost", 389),
              2,
              1,
              TestDuration.of(1, 0),
              People.of(10),
              Account.ANONYMOUS,
              0,
              options,
              job == JobKind.TLS_HANDSHAKE
                  ? Security.tls(Security.Kind.FROM_THE_START, null, true, null)
                  : Security.NONE,
              LoadRate.CLOSED));
    } catch (SSLException e) {
      throw new AssertionError(e);
    } catch (IllegalArgumentException _) {
      return Stream.of();
    }
  }

  /** Every kind that a job tries, logs in with, or reads the server's facts with. */
  private static Set<JobKind> kinds(LoadSettings settings) {
    return Stream.of(
            settings.kindsToTry().stream(),
            settings.loginKinds().stream(),
            Stream.of(JobKind.BASE, JobKind.SEARCH))
        .flatMap(each -> each)
        .collect(Collectors.toSet());
  }

  @Test
  void shouldDoOneKindOfOperationsBesideEachJobAndOption() {
    Set<JobKind> jobs = EnumSet.noneOf(JobKind.class);
    Set<String> options = new TreeSet<>();
    for (JobKind job : JobKind.values()) {
      OPTIONS.forEach(
          (name, option) ->
              settings(job, option)
                  .forEach(
                      settings -> {
                        jobs.add(job);
                        options.add(name);
                        for (JobKind kind : kinds(settings)) {
                          assertThatCode(() -> settings.trial(kind, 1))
                              .as("%s %s, trial of %s", job, name, kind)
                              .doesNotThrowAnyException();
                          assertThatCode(() -> settings.firstLogins(kind, 1))
                              .as("%s %s, logins by %s", job, name, kind)
                              .doesNotThrowAnyException();
                        }
                      }));
    }
    assertThat(jobs).containsExactlyInAnyOrder(JobKind.values());
    assertThat(options).isEqualTo(new TreeSet<>(OPTIONS.keySet()));
  }
}
