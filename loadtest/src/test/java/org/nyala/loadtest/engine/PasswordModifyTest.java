package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
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
