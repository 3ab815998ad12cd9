package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.loadtest.workload.ExitCode;

class PasswordModifyTest {
  private final LoadTester tester = new LoadTester();
  private final Queue<PasswordModifyExtendedRequest> requests = new ConcurrentLinkedQueue<>();

  private int run(int resultCode) throws Exception {
    StubServer.Behaviour keeping =
        (request, _, out) -> {
          ExtendedRequestProtocolOp sent = request.getExtendedRequestProtocolOp();
          requests.add(
              new PasswordModifyExtendedRequest(
                  new ExtendedRequest(sent.getOID(), sent.getValue())));
          out.write(
              StubServer.encode(
                  request.getMessageID(),
                  new ExtendedResponseProtocolOp(resultCode, null, null, null, null, null)));
        };
    try (StubServer server = StubServer.start(keeping)) {
      return tester.run(
          "password-modify",
          "--url=ldap://127.0.0.1:" + server.address().getPort(),
          "--users=10",
          "--connections=2",
          "--operations=20",
          "--warmup-seconds=0");
    }
  }

  @Test
  void shouldSetTheSamePasswordAgain() throws Exception {
    assertThat(run(0)).as(tester.err() + tester.out()).isZero();

    assertThat(requests).hasSize(40);
    assertThat(requests)
        .allSatisfy(
            request -> {
              assertThat(request.getUserIdentity())
                  .matches("uid=user\\.[0-9],ou=People,dc=example,dc=com");
              String number = request.getUserIdentity().substring(9, 10);
              assertThat(request.getOldPassword()).isEqualTo("password." + number);
              assertThat(request.getNewPassword()).isEqualTo("password." + number);
            });
    assertThat(requests)
        .extracting(PasswordModifyExtendedRequest::getUserIdentity)
        .as("several people")
        .satisfies(names -> assertThat(names.stream().distinct()).hasSizeGreaterThan(1));
  }

  @Test
  void shouldCountRefusals() throws Exception {
    assertThat(run(53)).isEqualTo(ExitCode.FAILED);
    assertThat(tester.out()).contains("40 x unwillingToPerform (53)");
  }

  /** A server with passwords, on which two must not change the same one at once. */
  private static final class Passwords implements StubServer.Behaviour {
    private final Map<String, String> current = new ConcurrentHashMap<>();
    private final Set<String> changing = ConcurrentHashMap.newKeySet();
    private final Map<OutputStream, String> bound = new ConcurrentHashMap<>();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();

    private String of(String dn) {
      return current.getOrDefault(dn, "password." + dn.replaceAll("uid=user\\.(\\d+),.*", "$1"));
    }

    @Override
    public void answer(LDAPMessage request, int number, OutputStream out) throws Exception {
      ProtocolOp answer;
      if (request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_BIND_REQUEST) {
        BindRequestProtocolOp bind = request.getBindRequestProtocolOp();
        boolean isRight = bind.getSimplePassword().stringValue().equals(of(bind.getBindDN()));
        bound.put(out, isRight ? bind.getBindDN() : "");
        answer = new BindResponseProtocolOp(isRight ? 0 : 49, null, null, null, null);
      } else if (request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_SEARCH_REQUEST) {
        answer = new SearchResultDoneProtocolOp(0, null, null, null);
      } else {
        ExtendedRequestProtocolOp sent = request.getExtendedRequestProtocolOp();
        PasswordModifyExtendedRequest change =
            new PasswordModifyExtendedRequest(new ExtendedRequest(sent.getOID(), sent.getValue()));
        int code = change(change, bound.getOrDefault(out, ""));
        answer = new ExtendedResponseProtocolOp(code, null, null, null, null, null);
      }
      out.write(StubServer.encode(request.getMessageID(), answer));
    }

    private int change(PasswordModifyExtendedRequest request, String identity) {
      String dn = request.getUserIdentity();
      if (!changing.add(dn)) {
        return 53;
      }
      try {
        if (!of(dn).equals(request.getOldPassword())) {
          return 53;
        }
        current.put(dn, request.getNewPassword());
        changes.incrementAndGet();
        others.addAndGet(identity.equals(dn) ? 0 : 1);
        return 0;
      } finally {
        changing.remove(dn);
      }
    }

    private void shouldBeThoseOfTheBeginning() {
      assertThat(current)
          .isNotEmpty()
          .allSatisfy(
              (dn, password) ->
                  assertThat("password." + dn.replaceAll("uid=user\\.(\\d+),.*", "$1"))
                      .isEqualTo(password));
    }
  }

  private int run(StubServer server, String job, String... more) {
    List<String> arguments = new ArrayList<>(List.of(job, "--warmup-seconds=0", "--seconds=60"));
    arguments.add("--url=ldap://127.0.0.1:" + server.address().getPort());
    arguments.addAll(List.of("--connections=4", "--threads=2"));
    arguments.addAll(List.of(more));
    return tester.run(arguments.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"false,false", "true,false", "false,true", "true,true"})
  void shouldLeaveEveryPasswordAsItWas(boolean isPerson, boolean isOther) throws Exception {
    Passwords passwords = new Passwords();
    try (StubServer server = StubServer.start(passwords)) {
      int exit =
          run(
              server,
              "password-modify",
              Stream.of(
                      "--users=9",
                      "--operations=25",
                      isPerson ? "--as-person" : "",
                      isOther ? "--new-password=new.{n}.{op}" : "")
                  .filter(option -> !option.isEmpty())
                  .toArray(String[]::new));

      assertThat(exit).as(tester.err() + tester.out()).isZero();
    }
    assertThat(passwords.current).hasSize(9);
    passwords.shouldBeThoseOfTheBeginning();
    // Each client has set a password back that its last operation had changed.
    assertThat(passwords.changes.get()).isEqualTo(isOther ? 104 : 100);
    assertThat(passwords.others.get()).isEqualTo(isPerson ? 0 : passwords.changes.get());
  }

  @Test
  void shouldSetOtherPasswordsBesideLogins() throws Exception {
    Passwords passwords = new Passwords();
    try (StubServer server = StubServer.start(passwords)) {
      int exit =
          run(
              server,
              "mixed",
              "--mix=bind=3,password-modify=1",
              "--users=20",
              "--operations=100",
              "--as-person",
              "--new-password=new.{n}");

      assertThat(exit).as(tester.err() + tester.out()).isZero();
    }
    assertThat(passwords.changes.get()).isPositive();
    passwords.shouldBeThoseOfTheBeginning();
  }

  @Test
  void shouldRefuseWhatCannotBeDone() {
    String url = "--url=ldap://127.0.0.1:1";
    assertThat(tester.run("password-modify", url, "--users=3", "--connections=4"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("password-modify", url, "--users=90", "--depth=2", "--as-person"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("search", url, "--users=30", "--as-person")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("bind", url, "--users=30", "--new-password=x")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains(
            "at least the number of clients (4), as each sets passwords of its own people, not 3",
            "--depth above 1 does not go with the job password-modify",
            "--as-person does not go with the job search",
            "--new-password does not go with the job bind");
  }

  @Test
  void shouldAskBeforeItLeavesEntries() {
    assertThat(tester.runWithTrial("add", "--url=ldap://127.0.0.1:1")).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err())
        .contains("the job add leaves its entries in the directory: --writes allows that");
  }

  @Test
  void shouldAskForThePasswordsOfOtherPeople() {
    assertThat(tester.run("password-modify", "--url=ldap://127.0.0.1:1", "--values=uid=a[0-9]"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--person-password must be the passwords of people");
  }
}
