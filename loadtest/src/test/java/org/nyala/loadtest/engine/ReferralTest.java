package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.AddResponseProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.CompareResponseProtocolOp;
import com.unboundid.ldap.protocol.DeleteResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNResponseProtocolOp;
import com.unboundid.ldap.protocol.ModifyResponseProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultReferenceProtocolOp;
import com.unboundid.ldap.sdk.LDAPConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.jmh.BenchmarkServer;
import org.nyala.loadtest.jmh.StrategyChoice;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.ExitCode;

/** Referrals and references that are followed from one server to another. */
class ReferralTest extends JobTestCase {
  private static final int TOTAL = CLIENTS * OPERATIONS;

  private final LoadTester tester = new LoadTester();

  private int run(int port, String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("--url=ldap://127.0.0.1:" + port);
    arguments.add("--connections=" + CLIENTS);
    arguments.add("--operations=" + OPERATIONS);
    arguments.addAll(List.of("--warmup-seconds=0", "--seconds=60", "--check-every=1"));
    return tester.run(arguments.toArray(String[]::new));
  }

  private static ProtocolOp referral(LDAPMessage request, List<String> urls) {
    return switch (request.getProtocolOpType()) {
      case LDAPMessage.PROTOCOL_OP_TYPE_BIND_REQUEST ->
          new BindResponseProtocolOp(10, null, null, urls, null);
      case LDAPMessage.PROTOCOL_OP_TYPE_SEARCH_REQUEST ->
          new SearchResultDoneProtocolOp(10, null, null, urls);
      case LDAPMessage.PROTOCOL_OP_TYPE_COMPARE_REQUEST ->
          new CompareResponseProtocolOp(10, null, null, urls);
      case LDAPMessage.PROTOCOL_OP_TYPE_ADD_REQUEST ->
          new AddResponseProtocolOp(10, null, null, urls);
      case LDAPMessage.PROTOCOL_OP_TYPE_DELETE_REQUEST ->
          new DeleteResponseProtocolOp(10, null, null, urls);
      case LDAPMessage.PROTOCOL_OP_TYPE_MODIFY_DN_REQUEST ->
          new ModifyDNResponseProtocolOp(10, null, null, urls);
      default -> new ModifyResponseProtocolOp(10, null, null, urls);
    };
  }

  /** A server that has nothing and knows who has it, but binds the identity of the test. */
  private StubServer.Behaviour referring(String... urls) {
    return (request, _, out) -> {
      boolean isOfService =
          request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_BIND_REQUEST
              && request.getBindRequestProtocolOp().getBindDN().equals("cn=service");
      ProtocolOp answer =
          isOfService
              ? new BindResponseProtocolOp(0, null, null, null, null)
              : referral(request, List.of(urls));
      out.write(StubServer.encode(request.getMessageID(), answer));
    };
  }

  private String url() {
    return "ldap://127.0.0.1:" + server.getListenPort();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "search",
        "base",
        "compare",
        "bind",
        "auth",
        "heavy",
        "modify",
        "add-delete",
        "rename"
      })
  void shouldFollowReferralsOfEveryJob(String job) throws Exception {
    try (StubServer first = StubServer.start(referring("http://127.0.0.1/", url()))) {
      int exit =
          run(
              first.address().getPort(),
              job,
              "--users=" + USERS,
              "--bind-dn=cn=service",
              "--password=secret",
              "--follow-referrals");

      assertThat(exit).as(tester.err() + tester.out()).isZero();
    }
    int requests = job.equals("auth") || job.equals("heavy") ? 2 : 1;
    assertThat(tester.out()).contains("referrals followed: " + requests * TOTAL);
  }

  @Test
  void shouldCountReferralsAsFailuresUnlessTheyAreFollowed() throws Exception {
    try (StubServer first = StubServer.start(referring(url()))) {
      assertThat(run(first.address().getPort(), "search", "--users=" + USERS))
          .isEqualTo(ExitCode.FAILED);
    }
    assertThat(tester.out()).contains(TOTAL + " x referral (10)").doesNotContain("followed");
    assertThat(searches.get()).isZero();
  }

  @Test
  void shouldFollowReferencesOfSearches() throws Exception {
    StubServer.Behaviour behaviour =
        (request, _, out) -> {
          out.write(
              StubServer.encode(
                  request.getMessageID(),
                  new SearchResultReferenceProtocolOp(
                      List.of(url() + "/ou=People,dc=example,dc=com"))));
          out.write(
              StubServer.encode(
                  request.getMessageID(), new SearchResultDoneProtocolOp(0, null, null, null)));
        };
    try (StubServer first = StubServer.start(behaviour)) {
      int exit = run(first.address().getPort(), "search", "--users=" + USERS, "--follow-referrals");

      assertThat(exit).as(tester.err() + tester.out()).isZero();
    }
    assertThat(tester.out()).contains("referrals followed: " + TOTAL);
  }

  @Test
  void shouldNotGoInCircles() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    StubServer.Behaviour circle =
        (request, _, out) -> {
          asked.incrementAndGet();
          out.write(
              StubServer.encode(
                  request.getMessageID(), referral(request, List.of("ldap:///dc=example,dc=com"))));
        };
    try (StubServer first = StubServer.start(circle)) {
      assertThat(run(first.address().getPort(), "search", "--users=5", "--follow-referrals"))
          .isEqualTo(ExitCode.FAILED);
    }
    assertThat(asked.get()).isEqualTo(2 * TOTAL);
    assertThat(tester.out())
        .contains(
            TOTAL + " x referral (10)",
            "a referral could not be followed in a circle, again to ldap:///dc=example,dc=com");
  }

  @Test
  void shouldNotGoOnForEver() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    StubServer.Behaviour endless =
        (request, _, out) ->
            out.write(
                StubServer.encode(
                    request.getMessageID(),
                    referral(request, List.of("ldap:///ou=" + asked.incrementAndGet()))));
    try (StubServer first = StubServer.start(endless)) {
      assertThat(run(first.address().getPort(), "search", "--users=5", "--follow-referrals=3"))
          .isEqualTo(ExitCode.FAILED);
    }
    assertThat(asked.get()).isEqualTo(4 * TOTAL);
    assertThat(tester.out())
        .contains(
            "a referral could not be followed over more than 3 servers one after the other",
            "referrals followed: " + 3 * TOTAL);
  }

  @Test
  void shouldSayWhatCannotBeFollowed() throws Exception {
    try (StubServer first = StubServer.start(referring("ldaps://127.0.0.1:1/"))) {
      assertThat(run(first.address().getPort(), "search", "--users=5", "--follow-referrals"))
          .isEqualTo(ExitCode.FAILED);
    }
    try (StubServer first = StubServer.start(referring("ldap://127.0.0.1:1/"))) {
      assertThat(run(first.address().getPort(), "search", "--users=5", "--follow-referrals"))
          .isEqualTo(ExitCode.FAILED);
    }
    assertThat(run(1, "search", "--users=5", "--follow-referrals=101")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.out())
        .contains(
            "to ldaps://127.0.0.1:1/, which is no URL with the same encryption",
            "over a connection that was lost or could not be opened");
    assertThat(tester.err()).contains("--follow-referrals must be from 0 to 100, not 101");
  }

  /** Nyala has an entry that refers to another Nyala, asked for by name and found beside others. */
  @Test
  void shouldFollowReferralsOfNyala() throws Exception {
    BenchmarkServer first =
        BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), 1, 1);
    BenchmarkServer second =
        BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), 30, 1);
    try {
      int port = first.address().getPort();
      try (LDAPConnection root =
          new LDAPConnection("127.0.0.1", port, Account.ROOT.dn(), Account.ROOT.password())) {
        root.add(
            "dn: ou=Away,dc=example,dc=com",
            "objectClass: referral",
            "objectClass: extensibleObject",
            "ou: Away",
            "ref: ldap://127.0.0.1:" + second.address().getPort() + "/ou=People,dc=example,dc=com");
      }

      String people = "--values=uid=user.[1-29]";
      int named =
          run(port, "search", people, "--base=ou=Away,dc=example,dc=com", "--follow-referrals");
      assertThat(named).as(tester.err() + tester.out()).isZero();
      int found = run(port, "search", people, "--follow-referrals");
      assertThat(found).as(tester.err() + tester.out()).isZero();
      assertThat(run(port, "search", people)).isEqualTo(ExitCode.FAILED);
    } finally {
      first.stop();
      second.stop();
    }
  }
}
