package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.change;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.control.ControlType;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory.Client;

/**
 * Tests the memory that updates and transactions take from their connection's account until they
 * are done.
 */
class UpdateMemoryTest {
  private static final int KIBIBYTE = 1024;
  private static final int MANY = 100;

  private final AtomicReference<GatedBackend> gate = new AtomicReference<>();
  private final LiveDirectory directory =
      new LiveDirectory(
          "run-to-completion",
          ServerLimits.DEFAULT,
          new AccessPolicy(true).withWriters(Set.of(UpdateFixture.dn(UpdateFixture.ANN))),
          store -> {
            gate.set(new GatedBackend(store));
            return gate.get();
          });
  private final Client root = directory.root();

  @BeforeEach
  void fill() {
    gate.get().commits.release(2);
    for (String name : List.of(PEOPLE, LEAF)) {
      String large = "x".repeat(100 * KIBIBYTE);
      assertThat(code(modify(name, "description", large))).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @AfterEach
  void close() {
    gate.get().commits.release(MANY);
    directory.close();
  }

  private void share(long bytes) {
    directory.server.memory().reconfigure(new MemoryBounds(64 << 20, bytes, bytes));
  }

  private long held() {
    return directory.server.memory().held();
  }

  private int modify(String name, String attribute, String value) {
    return root.send(
        new Request.Modify(root.nextId(), name, List.of(change(2, attribute, value)), List.of()));
  }

  private ResultCode code(int id) {
    return root.result(id).result().code();
  }

  @Test
  void shouldHoldAnEntryUntilItsChangeIsOnDisk() {
    int id = modify(LEAF, "street", "a");
    eventually("the change is applied", () -> held() > 0);
    assertThat(held()).isEqualTo(128 * KIBIBYTE);
    gate.get().commits.release();
    assertThat(code(id)).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> held() == 0);
  }

  @Test
  void shouldRefuseToChangeAnEntryThatThereIsNoMemoryFor() {
    gate.get().commits.release(MANY);
    share(96 * KIBIBYTE);
    assertThat(code(modify(LEAF, "street", "a"))).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    share(256 * KIBIBYTE);
    MemoryAccount other = directory.server.memory().open(root.identity());
    other.take(200 * KIBIBYTE);
    assertThat(code(modify(LEAF, "street", "a"))).isEqualTo(ResultCode.BUSY);
    other.giveBack(200 * KIBIBYTE);
    assertThat(code(modify(LEAF, "street", "a"))).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> held() == 0);
  }

  @Test
  void shouldLeaveAnUpdateToTheNextCommitWhereOthersOfItsClientTakeTheRoom() {
    share(200 * KIBIBYTE);
    final int first = modify(UpdateFixture.ANN, "sn", "B");
    eventually("the first is being committed", () -> gate.get().commits.hasQueuedThreads());
    int second = modify(LEAF, "street", "a");
    int third = modify(PEOPLE, "street", "a");
    eventually("both wait", () -> directory.operations.queuedUpdates() == 2);
    gate.get().commits.release(MANY);
    assertThat(code(first)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(second)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(third)).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> held() == 0);
  }

  private void requireNoAnswer(int... ids) {
    eventually("a commit is under way", () -> gate.get().commits.hasQueuedThreads());
    for (int id : ids) {
      assertThat(root.find(id)).isNull();
    }
  }

  @Test
  void shouldHaveNobodyWaitForCommitsOfAClientThatHasItsShare() {
    gate.get().commits.release();
    assertThat(code(modify(UpdateFixture.ANN, "userPassword", "secret")))
        .isEqualTo(ResultCode.SUCCESS);
    Client ann = directory.open();
    ann.bind(UpdateFixture.ANN, "secret");
    share(200 * KIBIBYTE);
    final int first = modify(UpdateFixture.ANN, "sn", "B");
    eventually("the first is being committed", () -> gate.get().commits.hasQueuedThreads());
    final int one = modify(LEAF, "street", "a");
    final int two = modify(PEOPLE, "street", "a");
    final int three = modify(LEAF, "street", "b");
    Request.Change change = change(2, "l", "c");
    int other = ann.send(new Request.Modify(ann.nextId(), PEOPLE, List.of(change), List.of()));
    eventually("all wait", () -> directory.operations.queuedUpdates() == 4);
    gate.get().commits.release(2);
    assertThat(ann.result(other).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(first)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(one)).isEqualTo(ResultCode.SUCCESS);
    requireNoAnswer(two, three);
    gate.get().commits.release();
    assertThat(code(two)).isEqualTo(ResultCode.SUCCESS);
    requireNoAnswer(three);
    gate.get().commits.release();
    assertThat(code(three)).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> held() == 0);
  }

  /** Modifies with the controls of RFC 4527, which return the entry before and after. */
  private int modifyWithImages(String name) {
    byte[] all = new BerWriter().sequence(new BerWriter()).toByteArray();
    return root.send(
        new Request.Modify(
            root.nextId(),
            name,
            List.of(change(2, "street", "a")),
            List.of(
                new RequestControl(ControlType.PRE_READ.oid(), true, all),
                new RequestControl(ControlType.POST_READ.oid(), true, all))));
  }

  @Test
  void shouldReturnNoImagesOfAnEntryThatThereIsNoMemoryFor() {
    gate.get().commits.release(MANY);
    share(256 * KIBIBYTE);
    assertThat(code(modifyWithImages(LEAF))).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    eventually("nothing is held", () -> held() == 0);
    share(512 * KIBIBYTE);
    assertThat(code(modifyWithImages(LEAF))).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> held() == 0);
  }

  private byte[] startTransaction() {
    return root.extended("1.3.6.1.1.21.1", null).value();
  }

  private int addTo(byte[] transaction, int length) {
    return root.send(
        new Request.Add(
            root.nextId(),
            "ou=one," + LEAF,
            List.of(
                UpdateFixture.values("objectClass", "organizationalUnit"),
                UpdateFixture.values("description", "x".repeat(length))),
            List.of(new RequestControl("1.3.6.1.1.21.2", true, transaction))));
  }

  private int end(byte[] transaction) {
    byte[] value = new BerWriter().sequence(new BerWriter().octets(transaction)).toByteArray();
    return root.send(new Request.Extended(root.nextId(), "1.3.6.1.1.21.3", value, List.of()));
  }

  @Test
  void shouldHoldATransactionUntilItIsOnDiskWhoeverElseWantsToEndIt() {
    byte[] transaction = startTransaction();
    assertThat(code(addTo(transaction, 10 * KIBIBYTE))).isEqualTo(ResultCode.SUCCESS);
    long whole = held();
    assertThat(whole).isGreaterThan(10 * KIBIBYTE);
    HeldDispatch dispatch = new HeldDispatch();
    directory.server.switchTo(dispatch);
    int ended = end(transaction);
    int again = end(transaction);
    dispatch.run(0);
    dispatch.run(0);
    assertThat(code(again)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    eventually("the second has ended", () -> root.inFlight() == 1);
    assertThat(held()).isEqualTo(whole);
    gate.get().commits.release();
    assertThat(code(ended)).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> held() == 0);
  }

  @Test
  void shouldSayThatItIsBusyWhereTheAccountHasNoRoomForATransaction() {
    byte[] transaction = startTransaction();
    share(200 * KIBIBYTE);
    MemoryAccount other = directory.server.memory().open(root.identity());
    other.take(80 * KIBIBYTE);
    assertThat(code(addTo(transaction, 80 * KIBIBYTE))).isEqualTo(ResultCode.BUSY);
    assertThat(root.result(0).result().code()).isEqualTo(ResultCode.BUSY);
    other.giveBack(80 * KIBIBYTE);
    assertThat(held()).isZero();
  }

  @Test
  void shouldSayThatATransactionIsTooLargeForWhatOneClientMayEverHold() {
    byte[] transaction = startTransaction();
    share(100 * KIBIBYTE);
    assertThat(code(addTo(transaction, 80 * KIBIBYTE))).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(root.result(0).result().code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(held()).isZero();
  }
}
