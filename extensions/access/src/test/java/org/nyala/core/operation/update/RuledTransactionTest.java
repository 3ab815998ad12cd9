package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;

import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.operation.UpdateFixture;

/** Tests that each update of a transaction takes the rights that it would take alone. */
class RuledTransactionTest {
  private static final String START = "1.3.6.1.1.21.1";
  private static final String CONTROL = "1.3.6.1.1.21.2";
  private static final String END = "1.3.6.1.1.21.3";
  private static final String WRITERS = "cn=writers," + TOP;
  private static final String RULES =
      """
      to attributes userPassword
        anonymous may authenticate
        self may write
      to entry "ou=leaf,dc=example,dc=com"
        group "cn=writers,dc=example,dc=com" may read, write
        users may read
      to all
        users may read, write
      """;

  private final LiveDirectory directory =
      new LiveDirectory(
          "striped",
          new AccessPolicy(false).withRules(new RulesText("r", RULES)),
          new RulesService(),
          InstantSource.system());
  private final Client root = directory.root();

  @BeforeEach
  void give() {
    assertThat(modify(root, List.of(), ANN, change(2, "userPassword", "secret")))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private Client ann() {
    Client client = directory.open();
    client.bind(ANN, "secret");
    return client;
  }

  private static ResultCode modify(
      Client client, List<RequestControl> controls, String name, Request.Change... changes) {
    return client
        .ask(new Request.Modify(client.nextId(), name, List.of(changes), controls))
        .result()
        .code();
  }

  private static List<RequestControl> in(byte[] identifier) {
    return List.of(new RequestControl(CONTROL, true, identifier));
  }

  private static byte[] start(Client client) {
    Event started = client.extended(START, null);
    assertThat(started.result().code()).isEqualTo(ResultCode.SUCCESS);
    return started.value();
  }

  private static Event commit(Client client, byte[] identifier) {
    byte[] value = new BerWriter().sequence(new BerWriter().octets(identifier)).toByteArray();
    return client.extended(END, value);
  }

  private static ResultCode add(Client client, List<RequestControl> controls, String... members) {
    return client
        .ask(
            new Request.Add(
                client.nextId(),
                WRITERS,
                List.of(
                    UpdateFixture.values("objectClass", "groupOfNames"),
                    UpdateFixture.values("cn", "writers"),
                    UpdateFixture.values("member", members)),
                controls))
        .result()
        .code();
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    directory.store.entries().forEach(entry -> names.add(entry.dn().toString()));
    return names;
  }

  @Test
  void shouldCarryOutNothingIfOneUpdateIsNotAllowed() throws Exception {
    Client client = ann();
    byte[] transaction = start(client);
    Set<String> before = names();
    assertThat(add(client, in(transaction), TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(modify(client, in(transaction), LEAF, change(2, "description", "x")))
        .isEqualTo(ResultCode.SUCCESS);
    Event ended = commit(client, transaction);
    assertThat(ended.result().code()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(BerReader.trusted(ended.value()).sequence().integer()).isPositive();
    assertThat(names()).isEqualTo(before);
  }

  @Test
  void shouldLetUpdatesGiveAndTakeTheRightsOfThoseAfterThem() {
    Client client = ann();
    byte[] transaction = start(client);
    assertThat(add(client, in(transaction), ANN)).isEqualTo(ResultCode.SUCCESS);
    assertThat(modify(client, in(transaction), LEAF, change(2, "description", "x")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(commit(client, transaction).result().code()).isEqualTo(ResultCode.SUCCESS);
    byte[] next = start(client);
    assertThat(modify(client, in(next), WRITERS, change(2, "member", TOP)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(modify(client, in(next), LEAF, change(2, "description", "y")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(commit(client, next).result().code())
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(modify(client, List.of(), LEAF, change(2, "description", "z")))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldHashAndDeletePasswordsInTransactions() {
    Client client = ann();
    byte[] transaction = start(client);
    assertThat(modify(client, in(transaction), ANN, change(2, "userPassword", "better")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(commit(client, transaction).result().code()).isEqualTo(ResultCode.SUCCESS);
    Client again = directory.open();
    again.bind(ANN, "better");
    byte[] next = start(again);
    assertThat(modify(again, in(next), ANN, change(1, "userPassword", "guess")))
        .isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    byte[] last = start(again);
    assertThat(modify(again, in(last), ANN, change(1, "userPassword", "better")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(commit(again, last).result().code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldDecideForTheIdentityThatATransactionWasStartedAs() {
    RequestControl proxied =
        new RequestControl("2.16.840.1.113730.3.4.18", true, ("dn:" + ANN).getBytes(UTF_8));
    Event started = root.ask(new Request.Extended(root.nextId(), START, null, List.of(proxied)));
    assertThat(modify(root, in(started.value()), LEAF, change(2, "description", "x")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(commit(root, started.value()).result().code())
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }
}
