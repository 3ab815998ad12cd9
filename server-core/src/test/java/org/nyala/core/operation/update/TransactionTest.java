package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

class TransactionTest {
  private static final String START = "1.3.6.1.1.21.1";
  private static final String CONTROL = "1.3.6.1.1.21.2";
  private static final String END = "1.3.6.1.1.21.3";

  private final LiveDirectory directory =
      new LiveDirectory(
          "adaptive",
          TestLimits.with(
              ServerLimits.DEFAULT, new ServerLimits.StandingLimits(100, 2, 3, 4000, 1, 1, 1000)));
  private final Client root = directory.root();

  @AfterEach
  void close() {
    directory.close();
  }

  private byte[] start() {
    Event started = root.extended(START, null);
    assertThat(started.result().code()).isEqualTo(ResultCode.SUCCESS);
    return started.value();
  }

  private static byte[] end(boolean commit, byte[] identifier) {
    BerWriter content = new BerWriter();
    if (!commit) {
      content.bool(false);
    }
    return new BerWriter().sequence(content.octets(identifier)).toByteArray();
  }

  private Event commit(byte[] identifier) {
    return root.extended(END, end(true, identifier));
  }

  private static List<RequestControl> in(byte[] identifier, RequestControl... more) {
    java.util.ArrayList<RequestControl> controls = new java.util.ArrayList<>(List.of(more));
    controls.add(new RequestControl(CONTROL, true, identifier));
    return controls;
  }

  private ResultCode add(byte[] identifier, String ou, String parent) {
    return root.ask(
            new Request.Add(
                root.nextId(),
                "ou=" + ou + "," + parent,
                List.of(
                    UpdateFixture.values("objectClass", "organizationalUnit"),
                    UpdateFixture.values("ou", ou)),
                in(identifier)))
        .result()
        .code();
  }

  private Event delete(byte[] identifier, String name, RequestControl... more) {
    return root.ask(new Request.Delete(root.nextId(), name, in(identifier, more)));
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    directory.store.entries().forEach(entry -> names.add(entry.dn().toString()));
    return names;
  }

  @Test
  void shouldCarryOutAllUpdatesInTheirOrderAtTheEnd() {
    byte[] transaction = start();
    Set<String> before = names();
    assertThat(add(transaction, "one", TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(add(transaction, "two", "ou=one," + TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(delete(transaction, LEAF).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(names()).isEqualTo(before);
    Event ended = commit(transaction);
    assertThat(ended.result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(ended.value()).isNull();
    assertThat(names()).contains("ou=one," + TOP, "ou=two,ou=one," + TOP).doesNotContain(LEAF);
    assertThat(commit(transaction).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  @Test
  void shouldCarryOutNothingWhenOneUpdateFailsAndSayWhich() throws Exception {
    byte[] transaction = start();
    Set<String> before = names();
    assertThat(add(transaction, "one", TOP)).isEqualTo(ResultCode.SUCCESS);
    int failing = delete(transaction, PEOPLE).messageId();
    assertThat(add(transaction, "two", TOP)).isEqualTo(ResultCode.SUCCESS);
    Event ended = commit(transaction);
    assertThat(ended.result().code()).isEqualTo(ResultCode.NOT_ALLOWED_ON_NON_LEAF);
    assertThat(BerReader.trusted(ended.value()).sequence().integer()).isEqualTo(failing);
    assertThat(names()).isEqualTo(before);
  }

  @Test
  void shouldForgetWhatIsAborted() {
    byte[] transaction = start();
    Set<String> before = names();
    assertThat(add(transaction, "one", TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(root.extended(END, end(false, transaction)).result().code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(add(transaction, "two", TOP)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(names()).isEqualTo(before);
  }

  @Test
  void shouldForgetEverythingAtABind() {
    byte[] transaction = start();
    assertThat(add(transaction, "one", TOP)).isEqualTo(ResultCode.SUCCESS);
    root.bind(OperationFixture.ROOT.dn().toString(), "rootpw");
    assertThat(commit(transaction).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(root.find(0)).isNull();
  }

  @Test
  void shouldReturnTheControlsOfUpdatesAtTheEnd() throws Exception {
    byte[] transaction = start();
    byte[] selection = new BerWriter().sequence(new BerWriter().text("ou")).toByteArray();
    RequestControl preRead = new RequestControl("1.3.6.1.1.13.1", true, selection);
    Event queued = delete(transaction, LEAF, preRead);
    assertThat(queued.controls()).isEmpty();
    Event ended = commit(transaction);
    assertThat(ended.result().code()).isEqualTo(ResultCode.SUCCESS);
    BerReader update = BerReader.trusted(ended.value()).sequence().sequence().sequence();
    assertThat(update.integer()).isEqualTo(queued.messageId());
    BerReader control = update.sequence().sequence();
    assertThat(new String(control.octets(), UTF_8)).isEqualTo("1.3.6.1.1.13.1");
    assertThat(new String(control.octets(), UTF_8)).contains(LEAF);
  }

  @Test
  void shouldRefuseAtOnceWhatCannotBePartOfIt() {
    byte[] transaction = start();
    assertThat(
            root.ask(
                    new Request.Modify(
                        root.nextId(), ANN, List.of(change(0, "noSuch", "x")), in(transaction)))
                .result()
                .code())
        .isEqualTo(ResultCode.UNDEFINED_ATTRIBUTE_TYPE);
    RequestControl noOp = new RequestControl("1.3.6.1.4.1.4203.666.5.2", true, null);
    assertThat(delete(transaction, LEAF, noOp).result().code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    RequestControl notCritical = new RequestControl(CONTROL, false, transaction);
    assertThat(
            root.ask(new Request.Delete(root.nextId(), LEAF, List.of(notCritical))).result().code())
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(commit(transaction).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(names()).contains(LEAF);
  }

  @Test
  void shouldEndATransactionThatGrowsTooLarge() {
    byte[] transaction = start();
    for (String ou : List.of("one", "two", "three")) {
      assertThat(add(transaction, ou, TOP)).isEqualTo(ResultCode.SUCCESS);
    }
    assertThat(add(transaction, "four", TOP)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(root.result(0).what()).isEqualTo("1.3.6.1.1.21.4");
    assertThat(root.result(0).value()).isEqualTo(transaction);
    assertThat(commit(transaction).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    byte[] another = start();
    assertThat(add(another, "x".repeat(5000), TOP)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldCountTheControlsOfUpdates() {
    byte[] transaction = start();
    FilterNode filter = new FilterNode.Equality("description", new byte[1000]);
    RequestControl assertion =
        new RequestControl("1.3.6.1.1.12", true, FilterWriter.encode(filter));
    assertThat(delete(transaction, LEAF, assertion).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(delete(transaction, ANN, assertion).result().code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldBoundTransactionsAndKeepThemApart() {
    byte[] first = start();
    byte[] second = start();
    assertThat(root.extended(START, null).result().code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    Client other = directory.root();
    assertThat(other.extended(END, end(true, first)).result().code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(add(first, "one", TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(add(second, "two", TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(commit(second).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(names()).contains("ou=two," + TOP).doesNotContain("ou=one," + TOP);
    assertThat(directory.open().extended(START, null).result().code())
        .isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
  }

  @Test
  void shouldTakeAnIdentifierWithTheTagThatItCameWith() throws LdapOperationException {
    byte[] asItCame =
        new BerWriter().sequence(new BerWriter().octets(0x8b, new byte[] {1})).toByteArray();
    assertThat(EndTransaction.End.read(BerReader.trusted(asItCame)).identifier())
        .containsExactly(1);
    assertThat(EndTransaction.End.read(BerReader.trusted(asItCame)).commit()).isTrue();
  }

  @Test
  void shouldRefuseValuesThatAreDamaged() {
    byte[] valid = end(false, "1".getBytes(UTF_8));
    for (int cut = 0; cut < valid.length; cut++) {
      byte[] value = Arrays.copyOf(valid, cut);
      LdapOperationException e =
          catchThrowableOfType(
              LdapOperationException.class,
              () -> EndTransaction.End.read(BerReader.trusted(value)));
      assertThat(Objects.requireNonNull(e).result().code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    }
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] value = valid.clone();
      value[random.nextInt(value.length)] = (byte) random.nextInt(256);
      try {
        assertThat(EndTransaction.End.read(BerReader.trusted(value)).identifier())
            .as("seed %d", seed)
            .isNotNull();
      } catch (LdapOperationException e) {
        assertThat(e.result().code()).as("seed %d", seed).isEqualTo(ResultCode.PROTOCOL_ERROR);
      }
    }
  }

  private static Event start(Client client, boolean critical, String authorizationId) {
    RequestControl proxied = proxied(critical, authorizationId);
    return client.ask(new Request.Extended(client.nextId(), START, null, List.of(proxied)));
  }

  private static RequestControl proxied(boolean critical, String authorizationId) {
    return new RequestControl(
        "2.16.840.1.113730.3.4.18", critical, authorizationId.getBytes(UTF_8));
  }

  @Test
  void shouldBelongToTheIdentityThatStartedIt() {
    AccessPolicy access = new AccessPolicy(true).withWriters(Set.of(UpdateFixture.dn(ANN)));
    try (LiveDirectory other = new LiveDirectory("adaptive", ServerLimits.DEFAULT, access)) {
      Client client = other.root();
      Event started = start(client, true, "dn:" + ANN);
      assertThat(started.result().code()).isEqualTo(ResultCode.SUCCESS);
      Request.Change green = change(2, "description", "red");
      Request.Modify modify =
          new Request.Modify(client.nextId(), LEAF, List.of(green), in(started.value()));
      assertThat(client.ask(modify).result().code()).isEqualTo(ResultCode.SUCCESS);
      assertThat(client.extended(END, end(true, started.value())).result().code())
          .isEqualTo(ResultCode.SUCCESS);
      AttributeDescription modifier =
          AttributeDescription.parse(OperationFixture.SCHEMA, "modifiersName");
      assertThat(other.store.entries())
          .filteredOn(entry -> entry.dn().equals(UpdateFixture.dn(LEAF)))
          .allSatisfy(
              entry -> assertThat(entry.values(modifier)).containsExactly(ANN.getBytes(UTF_8)))
          .hasSize(1);
    }
  }

  @Test
  void shouldRefuseProxiedAuthorizationThatIsNotAllowed() {
    assertThat(start(root, true, "").result().code()).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    byte[] asAnn = start(root, true, "dn:" + ANN).value();
    assertThat(delete(asAnn, LEAF).result().code())
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(start(root, false, "dn:" + OperationFixture.ROOT.dn()).result().code())
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    byte[] transaction = start();
    RequestControl asRoot = proxied(true, "dn:" + OperationFixture.ROOT.dn());
    assertThat(delete(transaction, LEAF, asRoot).result().code())
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    Request.Extended end =
        new Request.Extended(root.nextId(), END, end(true, transaction), List.of(asRoot));
    assertThat(root.ask(end).result().code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(commit(transaction).result().code()).isEqualTo(ResultCode.SUCCESS);
  }
}
