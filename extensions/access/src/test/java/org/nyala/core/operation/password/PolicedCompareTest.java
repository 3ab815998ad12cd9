package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.policy.PolicyResponse;

/** Compares with a password as a rule allows, which are attempts of the account. */
@Timeout(60)
class PolicedCompareTest {
  private static final String POLICY = "cn=policy," + UpdateFixture.TOP;
  private static final String ANN = "cn=ann," + UpdateFixture.TOP;
  private static final int MOST = 5;
  private static final String RULES =
      """
      to attributes userPassword
        anonymous may authenticate
        users may compare
      to subtree "%s"
        users may read
      """
          .formatted(UpdateFixture.TOP);

  private final LiveDirectory directory =
      new LiveDirectory(
          "adaptive",
          new AccessPolicy(false)
              .withRules(new RulesText("r", RULES))
              .withPasswordPolicy(PolicySettings.NONE.by(UpdateFixture.dn(POLICY))),
          new RulesService(),
          InstantSource.system());
  private final LiveDirectory.Client root = directory.root();

  @BeforeEach
  void fill() {
    add(
        POLICY,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=policy",
        "pwdAttribute=2.5.4.35",
        "pwdLockout=TRUE",
        "pwdMaxFailure=" + MOST);
    add(ANN, "objectClass=person", "cn=ann", "sn=Smith", "userPassword={CLEARTEXT}secret");
    add("cn=bob," + UpdateFixture.TOP, "objectClass=person", "cn=bob", "sn=B", "userPassword=bob");
  }

  private void add(String name, String... attributes) {
    assertThat(root.add(name, attributes)).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private LiveDirectory.Client bob() {
    LiveDirectory.Client client = directory.open();
    client.bits = 128;
    client.bind("cn=bob," + UpdateFixture.TOP, "bob");
    return client;
  }

  private static Request.Compare compare(LiveDirectory.Client client, String password) {
    return new Request.Compare(
        client.nextId(),
        ANN,
        "userPassword",
        ("{CLEARTEXT}" + password).getBytes(UTF_8),
        List.of(new RequestControl(PolicyResponse.OID, false, null)));
  }

  @Test
  void shouldCountWrongOnes() {
    LiveDirectory.Client client = bob();
    LiveDirectory.Event right = client.ask(compare(client, "secret"));
    assertThat(right.result().code()).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(right.result().controls()).hasSize(1);
    for (int i = 0; i < MOST; i++) {
      assertThat(client.ask(compare(client, "wrong")).result().code())
          .isEqualTo(ResultCode.COMPARE_FALSE);
    }
    assertThat(directory.values(ANN, "pwdFailureTime")).hasSize(MOST);
    assertThat(directory.values(ANN, "pwdAccountLockedTime")).hasSize(1);
    assertThat(client.ask(compare(client, "secret")).result().code())
        .isEqualTo(ResultCode.COMPARE_FALSE);
  }

  @Test
  void shouldCountThoseAtOnce() {
    List<LiveDirectory.Client> clients = new ArrayList<>();
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      LiveDirectory.Client client = bob();
      clients.add(client);
      ids.add(client.send(compare(client, "wrong" + i)));
    }
    for (int i = 0; i < clients.size(); i++) {
      assertThat(clients.get(i).result(ids.get(i)).result().code())
          .isEqualTo(ResultCode.COMPARE_FALSE);
    }
    assertThat(directory.values(ANN, "pwdFailureTime")).hasSize(MOST);
    LiveDirectory.Client client = bob();
    assertThat(client.ask(compare(client, "secret")).result().code())
        .isEqualTo(ResultCode.COMPARE_FALSE);
  }
}
