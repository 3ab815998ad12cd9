package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.nyala.core.Patience.eventually;

import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

class LoadJobsTest extends JobTestCase {
  @ParameterizedTest
  @EnumSource(
      value = JobKind.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "IDLE",
        "MIXED",
        "REPLAY",
        "REFRESH",
        "FOLLOW",
        "ADD",
        "PASSWORD_MODIFY",
        "TLS_HANDSHAKE"
      })
  void shouldCountEveryOperationOfEveryJobExactly(JobKind job) throws Exception {
    LoadReport report = LoadRun.run(settings(job, OPERATIONS, USERS, ""));

    int expected = CLIENTS * OPERATIONS;
    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(expected);
    assertThat(report.allOperations()).isEqualTo(expected);
    assertThat(report.corrected().getTotalCount()).isEqualTo(expected);
    assertThat(report.units())
        .isEqualTo(
            switch (job) {
              case SCAN -> (long) expected * ENTRIES;
              case PAGED -> (long) expected / PAGES * ENTRIES;
              default -> expected;
            });
    assertThat(searches.get()).isEqualTo(expectedSearches(job, expected));
    assertThat(binds.get())
        .isEqualTo(
            switch (job) {
              case BIND, AUTHENTICATE, CONNECT -> expected;
              default -> 0;
            });
    JobKind written = job == JobKind.MODIFY_EACH ? JobKind.MODIFY : job;
    for (JobKind kind : JobKind.values()) {
      assertThat(writes(kind))
          .as(kind.label())
          .isEqualTo(kind == written && isWriting(job) ? expected : 0);
    }
    assertThat(report.serverCpuNanos()).isNotNegative();
    assertThat(report.seconds()).isBetween(0.0, 60.0);
  }

  private static boolean isWriting(JobKind job) {
    return switch (job) {
      case MODIFY, MODIFY_EACH, ADD_DELETE, RENAME -> true;
      default -> false;
    };
  }

  private static int expectedSearches(JobKind job, int expected) {
    return switch (job) {
      case BIND, COMPARE, MODIFY, ADD_DELETE, RENAME -> 0;
      case VLV -> expected + CLIENTS;
      default -> expected;
    };
  }

  @ParameterizedTest
  @EnumSource(
      value = JobKind.class,
      names = {"SEARCH", "SCAN", "AUTHENTICATE", "MODIFY", "ADD_DELETE", "RENAME", "VLV", "PAGED"})
  void shouldBindServiceConnectionsFirst(JobKind job) throws Exception {
    LoadReport report = LoadRun.run(settings(job, OPERATIONS, USERS, "cn=service"));

    assertThat(report.errors()).isEmpty();
    assertThat(report.allOperations()).isEqualTo(CLIENTS * OPERATIONS);
    int binding = job == JobKind.AUTHENTICATE ? CLIENTS * OPERATIONS : 0;
    assertThat(binds.get()).isEqualTo(binding + CLIENTS);
  }

  @Test
  void shouldCountResultCodesThatAreNotSuccess() throws Exception {
    searchesUntilRefusal = 50;

    LoadReport report = LoadRun.run(settings(JobKind.SEARCH, OPERATIONS, USERS, ""));

    long refused = report.errors().get("resultCode51");
    assertThat(report.allOperations() + refused).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(report.allOperations()).isBetween(50L, 50L + CLIENTS);
    assertThat(report.errorCount()).isEqualTo(refused);
  }

  @Test
  void shouldCountMissingEntriesAsWrongAnswers() throws Exception {
    server.delete("uid=user.0,ou=People,dc=example,dc=com");

    LoadReport report = LoadRun.run(settings(JobKind.SEARCH, OPERATIONS, 1, ""));

    assertThat(report.errors()).hasSize(1);
    assertThat(report.errors().get("wrongAnswer")).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(report.allOperations()).isZero();
  }

  @Test
  void shouldCountEntriesOfSomebodyElseAsWrongAnswers() throws Exception {
    server.delete("uid=user.0,ou=People,dc=example,dc=com");
    addPerson(USERS, "user.0");

    LoadReport report = LoadRun.run(settings(JobKind.AUTHENTICATE, OPERATIONS, 1, ""));

    assertThat(report.errors().get("wrongAnswer")).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(binds.get()).isZero();
  }

  @Test
  void shouldCountWrongPasswords() throws Exception {
    server.modify(
        "dn: uid=user.0,ou=People,dc=example,dc=com",
        "changetype: modify",
        "replace: userPassword",
        "userPassword: other");

    for (JobKind job : new JobKind[] {JobKind.BIND, JobKind.AUTHENTICATE, JobKind.CONNECT}) {
      LoadSettings few = settings(job, OPERATIONS, 1, "");
      assertThatThrownBy(() -> LoadRun.run(few))
          .isInstanceOf(LoadTestException.class)
          .hasMessageStartingWith("stopped after 1 wrong password, before accounts are locked");
      JobOptions unbound = few.options().withWrongPasswords(0);
      LoadReport report = LoadRun.run(settings(job, OPERATIONS, 1, "", unbound, LoadRate.CLOSED));
      assertThat(report.errors().get("resultCode49")).as(job.label()).isEqualTo(120);
      assertThat(report.allOperations()).as(job.label()).isZero();
    }
  }

  @Test
  void shouldCountScansWithTooFewEntriesAsWrongAnswers() throws Exception {
    LoadReport report = LoadRun.run(settings(JobKind.SCAN, 2, ENTRIES + 1, ""));

    assertThat(report.errors().get("wrongAnswer")).isEqualTo(2 * CLIENTS);
  }

  @Test
  void shouldSayWhyItCannotStart() throws Exception {
    assertThatThrownBy(() -> LoadRun.run(settings(JobKind.SEARCH, 1, USERS, "cn=unknown")))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("the server answered invalidCredentials (49)");

    LoadSettings nobody = settings(JobKind.SEARCH, 1, USERS, "");
    server.shutDown(true);
    // Held so that no other process listens there.
    try (Socket held = new Socket()) {
      held.setReuseAddress(true);
      held.bind(nobody.server());
      assertThatThrownBy(() -> LoadRun.run(nobody))
          .isInstanceOf(LoadTestException.class)
          .hasMessageContaining("could not be opened");
    }
  }

  @Test
  void shouldCountLostConnectionsAndGoOnWithNewOnes() throws Exception {
    barrier = new CountDownLatch(1);
    Thread breaker =
        Thread.ofPlatform()
            .start(
                () -> {
                  eventually("all search", () -> searching.size() >= CLIENTS);
                  server.closeAllConnections(false);
                  barrier.countDown();
                });

    LoadReport report = LoadRun.run(settings(JobKind.SEARCH, OPERATIONS, USERS, ""));

    breaker.join();
    assertThat(report.errors().get("connectionLost")).isEqualTo(CLIENTS);
    assertThat(report.errors().getOrDefault("interrupted", 0L)).isBetween(0L, (long) CLIENTS);
    assertThat(report.errorCount()).isLessThanOrEqualTo(2 * CLIENTS);
    assertThat(report.allOperations()).isEqualTo(CLIENTS * OPERATIONS);
  }

  @Test
  void shouldMeasureOnlyThePeriodAsked() throws Exception {
    double seconds = 0.3;
    LoadReport report = measure(seconds);
    // Something has to be done in either period, however little the machine does.
    while (report.operations() == 0 || report.operations() == report.allOperations()) {
      seconds *= 2;
      assertThat(seconds).isLessThan(60);
      report = measure(seconds);
    }

    assertThat(report.seconds()).isEqualTo(seconds, within(0.001));
    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isPositive().isLessThan(report.allOperations());
    assertThat(searches.get()).isEqualTo(report.allOperations());
    assertThat(report.rate()).isEqualTo(report.operations() / report.seconds());
  }

  /** Warms up and measures for so long. */
  private LoadReport measure(double seconds) throws Exception {
    searches.set(0);
    return LoadRun.run(settings(JobKind.SEARCH, 0, USERS, "").lasting(seconds, seconds));
  }
}
