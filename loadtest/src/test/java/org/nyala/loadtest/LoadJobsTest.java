package org.nyala.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoadJobsTest {
  private static final int USERS = 120;
  private static final int ENTRIES = USERS + 2;
  private static final int CLIENTS = 3;
  private static final int OPERATIONS = 40;

  private final AtomicInteger searches = new AtomicInteger();
  private final AtomicInteger binds = new AtomicInteger();
  private volatile int searchesUntilRefusal = Integer.MAX_VALUE;
  private InMemoryDirectoryServer server;

  @BeforeEach
  void startServer() throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.addAdditionalBindCredentials("cn=service", "secret");
    config.setSchema(null);
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig("test", InetAddress.getLoopbackAddress(), 0, null));
    config.addInMemoryOperationInterceptor(new Counting());
    server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    server.add("dn: ou=People,dc=example,dc=com", "objectClass: organizationalUnit", "ou: People");
    for (int user = 0; user < USERS; user++) {
      addPerson(user, "user." + user);
    }
    server.startListening();
  }

  private void addPerson(int user, String uid) throws Exception {
    server.add(
        "dn: uid=user." + user + ",ou=People,dc=example,dc=com",
        "objectClass: inetOrgPerson",
        "uid: " + uid,
        "cn: Person " + user,
        "sn: Person",
        "description: " + "x".repeat(300),
        "userPassword: password." + user);
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  /** Counts what really arrives. */
  private final class Counting extends InMemoryOperationInterceptor {
    @Override
    public void processSearchResult(
        com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchResult result) {
      searches.incrementAndGet();
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request)
        throws LDAPException {
      if (searches.get() >= searchesUntilRefusal) {
        searches.incrementAndGet();
        throw new LDAPException(ResultCode.BUSY, "enough");
      }
    }

    @Override
    public void processSimpleBindResult(InMemoryInterceptedSimpleBindResult result) {
      binds.incrementAndGet();
    }
  }

  private LoadSettings settings(JobKind job, long operations, int users, String bindDn) {
    return new LoadSettings(
        job,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getListenPort()),
        CLIENTS,
        2,
        60,
        0,
        operations,
        LoadSettings.DEFAULT_BASE,
        LoadSettings.DEFAULT_PEOPLE,
        users,
        bindDn,
        "secret",
        ProcessHandle.current().pid());
  }

  @ParameterizedTest
  @EnumSource(JobKind.class)
  void shouldCountEveryOperationOfEveryJobExactly(JobKind job) throws Exception {
    LoadReport report = LoadRun.run(settings(job, OPERATIONS, USERS, ""));

    int expected = CLIENTS * OPERATIONS;
    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(expected);
    assertThat(report.allOperations()).isEqualTo(expected);
    assertThat(report.latency().getTotalCount()).isEqualTo(expected);
    assertThat(report.units())
        .isEqualTo(job == JobKind.SCAN ? (long) expected * ENTRIES : expected);
    assertThat(searches.get()).isEqualTo(job == JobKind.BIND ? 0 : expected);
    assertThat(binds.get())
        .isEqualTo(
            switch (job) {
              case SEARCH, SCAN -> 0;
              case BIND, AUTHENTICATE, CONNECT -> expected;
            });
    assertThat(report.serverCpuNanos()).isNotNegative();
    assertThat(report.seconds()).isBetween(0.0, 60.0);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobKind.class,
      names = {"SEARCH", "SCAN", "AUTHENTICATE"})
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
      LoadReport report = LoadRun.run(settings(job, OPERATIONS, 1, ""));
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
  void shouldSayWhyItCannotStart() {
    assertThatThrownBy(() -> LoadRun.run(settings(JobKind.SEARCH, 1, USERS, "cn=unknown")))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("result code 49");

    LoadSettings nobody = settings(JobKind.SEARCH, 1, USERS, "");
    server.shutDown(true);
    assertThatThrownBy(() -> LoadRun.run(nobody))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("could not be opened");
  }

  @Test
  void shouldCountLostConnectionsAndGoOnWithNewOnes() throws Exception {
    LoadSettings endless = settings(JobKind.SEARCH, 0, USERS, "").lasting(1.5, 0);
    Thread breaker =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (searches.get() < 20) {
                    Thread.onSpinWait();
                  }
                  server.closeAllConnections(false);
                });

    LoadReport report = LoadRun.run(endless);

    breaker.join();
    assertThat(report.errors().get("connectionLost")).isEqualTo(CLIENTS);
    assertThat(report.errorCount()).isEqualTo(CLIENTS);
    assertThat(report.allOperations()).isGreaterThan(20);
    assertThat(report.seconds()).isEqualTo(1.5, within(0.001));
  }

  @Test
  void shouldMeasureOnlyThePeriodAsked() throws Exception {
    LoadReport report = LoadRun.run(settings(JobKind.SEARCH, 0, USERS, "").lasting(0.3, 0.3));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isPositive().isLessThan(report.allOperations());
    assertThat(searches.get()).isEqualTo(report.allOperations());
    assertThat(report.rate()).isEqualTo(report.operations() / report.seconds());
  }
}
