package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;

import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;

/** Clients that may write passwords, and do not manage them, look for ways around a policy. */
@Timeout(60)
class PolicyEvasionTest {
  private static final String POLICY = "cn=policy," + UpdateFixture.TOP;
  private static final String ANN = "cn=ann," + UpdateFixture.TOP;
  private static final String BOB = "cn=bob," + UpdateFixture.TOP;
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final String START = "1.3.6.1.1.21.1";
  private static final String END = "1.3.6.1.1.21.3";
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;
  private static final String RULES =
      """
      to attributes userPassword
        anonymous may authenticate
        users may only write, disclose
      to subtree "%s"
        users may read, write
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
        root,
        POLICY,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=policy",
        "pwdAttribute=2.5.4.35",
        "pwdCheckQuality=2",
        "pwdMinLength=4",
        "pwdInHistory=3");
    add(root, ANN, "objectClass=person", "cn=ann", "sn=Smith", "userPassword=first");
    add(root, BOB, "objectClass=person", "cn=bob", "sn=Jones", "userPassword=other");
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private void add(LiveDirectory.Client client, String name, String... attributes) {
    assertThat(client.add(name, attributes)).isEqualTo(ResultCode.SUCCESS);
  }

  private static ResultCode modify(
      LiveDirectory.Client client,
      String name,
      List<RequestControl> controls,
      Request.Change... changes) {
    return client
        .ask(new Request.Modify(client.nextId(), name, List.of(changes), controls))
        .result()
        .code();
  }

  private LiveDirectory.Client ann() {
    LiveDirectory.Client client = directory.open();
    client.bind(ANN, "first");
    return client;
  }

  @Test
  void shouldCheckPasswordsOfNewEntries() {
    String name = "cn=new," + UpdateFixture.TOP;
    assertThat(ann().add(name, "objectClass=person", "sn=N", "userPassword=abc"))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(ann().add(name, "objectClass=person", "sn=N", "userPassword=abcd"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.values(name, "pwdChangedTime")).hasSize(1);
  }

  @Test
  void shouldNotTakeSeveralNewPasswords() {
    LiveDirectory.Client client = ann();
    assertThat(modify(client, ANN, List.of(), change(REPLACE, "userPassword", "good", "better")))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(
            modify(
                client,
                ANN,
                List.of(),
                change(REPLACE, "userPassword", "good"),
                change(ADD, "userPassword", "better")))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(modify(client, ANN, List.of(), change(ADD, "userPassword", "better")))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldNotTellOfPasswordsByTrying() {
    RequestControl noOp = new RequestControl("1.3.6.1.4.1.4203.666.5.2", true, null);
    for (String guess : List.of("first", "guess")) {
      assertThat(modify(ann(), ANN, List.of(noOp), change(REPLACE, "userPassword", guess)))
          .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    }
    assertThat(modify(root, POLICY, List.of(), change(REPLACE, "pwdSafeModify", "TRUE")))
        .isEqualTo(ResultCode.SUCCESS);
    for (String guess : List.of("other", "guess")) {
      assertThat(modify(ann(), BOB, List.of(), change(REPLACE, "userPassword", guess)))
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
  }

  /** The entry of the password is not there yet when the request comes. */
  @Test
  void shouldNotSetPasswordsUncheckedInTransactions() {
    LiveDirectory.Client client = ann();
    byte[] transaction = client.extended(START, null).value();
    List<RequestControl> in = List.of(new RequestControl("1.3.6.1.1.21.2", true, transaction));
    String name = "cn=new," + UpdateFixture.TOP;
    List<Request.AttributeValues> values =
        List.of(
            new Request.AttributeValues("objectClass", List.of("person".getBytes(UTF_8))),
            new Request.AttributeValues("sn", List.of("N".getBytes(UTF_8))));
    assertThat(client.ask(new Request.Add(client.nextId(), name, values, in)).result().code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(modify(client, name, in, change(ADD, "userPassword", "a")))
        .isEqualTo(ResultCode.SUCCESS);
    byte[] end =
        new BerWriter().sequence(new BerWriter().bool(true).octets(transaction)).toByteArray();
    assertThat(client.extended(END, end).result().code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  /** A session that has to change a password is not freed by what another one began. */
  @Test
  void shouldKeepASessionRestrictedBesideOlderChanges() {
    assertThat(modify(root, POLICY, List.of(), change(REPLACE, "pwdMustChange", "TRUE")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(modify(root, BOB, List.of(), change(REPLACE, "userPassword", "fresh")))
        .isEqualTo(ResultCode.SUCCESS);
    for (int round = 0; round < 30; round++) {
      LiveDirectory.Client client = ann();
      client.send(
          new Request.Modify(
              client.nextId(),
              ANN,
              List.of(change(REPLACE, "description", "round " + round)),
              List.of()));
      client.bind(BOB, "fresh");
      // Whatever was under way has ended.
      assertThat(modify(root, ANN, List.of(), change(REPLACE, "description", "end")))
          .isEqualTo(ResultCode.SUCCESS);
      assertThat(modify(client, BOB, List.of(), change(REPLACE, "description", "x")))
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
  }

  @Test
  void shouldAllowNoOtherControlsBeforeTheChange() {
    assertThat(modify(root, POLICY, List.of(), change(REPLACE, "pwdMustChange", "TRUE")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(modify(root, BOB, List.of(), change(REPLACE, "userPassword", "fresh")))
        .isEqualTo(ResultCode.SUCCESS);
    LiveDirectory.Client client = directory.open();
    client.bind(BOB, "fresh");
    byte[] names = new BerWriter().sequence(new BerWriter().text("*")).toByteArray();
    RequestControl preRead = new RequestControl("1.3.6.1.1.13.1", true, names);
    assertThat(modify(client, BOB, List.of(preRead), change(REPLACE, "userPassword", "fresher")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(
            modify(
                client,
                BOB,
                List.of(),
                change(ADD, "userPassword", "fresher"),
                change(DELETE, "userPassword")))
        .isNotEqualTo(ResultCode.SUCCESS);
    assertThat(directory.values(BOB, "pwdReset")).containsExactly("TRUE");
    assertThat(client.extended(PASSWORD_MODIFY, null).result().code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.values(BOB, "pwdReset")).isEmpty();
  }

  @Test
  void shouldRefuseAnotherPasswordThanThatOfTheEntryAsAName() {
    assertThat(
            root.ask(
                    new Request.ModifyDn(
                        root.nextId(), ANN, "cn=ann+userPassword=a", false, null, List.of()))
                .result()
                .code())
        .isNotEqualTo(ResultCode.SUCCESS);
  }
}
