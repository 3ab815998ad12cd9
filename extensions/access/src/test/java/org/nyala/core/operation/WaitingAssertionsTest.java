package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ControlledEntries.control;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.RuledDirectory;
import org.nyala.core.session.Operation;

/** Lets updates with large assertions wait for the writer: their clients are charged for these. */
class WaitingAssertionsTest {
  private static final int ITEMS = 2000;

  /** Less than the smallest compiled item. */
  private static final int ITEM_BYTES = 256;

  private final UpdateFixture fixture = new UpdateFixture();
  private final CountDownLatch isBusy = new CountDownLatch(1);
  private final CountDownLatch mayGoOn = new CountDownLatch(1);

  @AfterEach
  void close() {
    mayGoOn.countDown();
    fixture.close();
  }

  private static RequestControl assertion() {
    BerWriter items = new BerWriter();
    for (int i = 0; i < ITEMS; i++) {
      items.constructed(0xa3, new BerWriter().text("description").text("v" + i));
    }
    return control(ControlType.ASSERTION, new BerWriter().constructed(0xa1, items).toByteArray());
  }

  /** Has the writer wait in the turn of a change of the leaf. */
  private void block() {
    fixture.rules.add(
        (_, change, _, _, _) -> {
          if (change instanceof ResolvedChange.Modify) {
            isBusy.countDown();
            Patience.await(mayGoOn);
          }
        });
    fixture.start(
        UpdateFixture.modify(UpdateFixture.LEAF, UpdateFixture.change(2, "description", "blue")),
        new RecordingSink(100));
    Patience.await(isBusy);
  }

  /** Has the event loop learn of the end. */
  private static void end(RecordingSink sink) {
    UpdateFixture.await(sink);
    sink.completion.run();
  }

  private static List<Request> updates() {
    return List.of(
        UpdateFixture.modify(
            List.of(assertion()),
            UpdateFixture.ANN,
            UpdateFixture.change(2, "description", "blue")),
        UpdateFixture.add(
            List.of(assertion()),
            "ou=new," + UpdateFixture.TOP,
            "objectClass",
            "organizationalUnit",
            "ou",
            "new"),
        UpdateFixture.delete(UpdateFixture.ANN, assertion()),
        UpdateFixture.rename(UpdateFixture.ANN, "uid=eve", true, assertion()));
  }

  @Test
  void shouldChargeForAssertionsUntilTheUpdatesHaveEnded() {
    block();
    List<Operation> waiting = new ArrayList<>();
    List<RecordingSink> sinks = new ArrayList<>();
    for (Request update : updates()) {
      for (int i = 0; i < 3; i++) {
        RecordingSink sink = new RecordingSink(100);
        sinks.add(sink);
        waiting.add(fixture.start(update, sink));
      }
    }
    for (Operation operation : waiting) {
      assertThat(operation.session().memory().held())
          .as(operation.request().type().toString())
          .isBetween((long) ITEMS * ITEM_BYTES, 4L << 20);
    }
    // One of each kind is abandoned, and one canceled.
    for (int i = 0; i < waiting.size(); i += 3) {
      waiting.get(i).abandon();
      waiting.get(i + 1).cancel(null);
    }
    mayGoOn.countDown();
    sinks.forEach(WaitingAssertionsTest::end);
    for (Operation operation : waiting) {
      assertThat(operation.session().memory().held()).isZero();
    }
    for (int i = 0; i < sinks.size(); i += 3) {
      assertThat(sinks.get(i + 1).code()).isEqualTo(ResultCode.CANCELED);
      assertThat(sinks.get(i + 2).code()).isEqualTo(ResultCode.ASSERTION_FAILED);
    }
  }

  @Test
  void shouldHoldNothingForUpdatesThatAreRefused() {
    RecordingSink sink = new RecordingSink(100);
    Operation refused =
        fixture.start(
            UpdateFixture.modify(
                List.of(assertion()),
                UpdateFixture.ANN,
                UpdateFixture.change(0, "noSuchAttribute", "x")),
            sink);
    end(sink);
    assertThat(sink.code()).isEqualTo(ResultCode.UNDEFINED_ATTRIBUTE_TYPE);
    assertThat(refused.session().memory().held()).isZero();
  }

  /** Of the rights to the entry, the assertion has a form, which takes memory of its own. */
  @Test
  void shouldChargeForTheFormOfAnAssertionThatRulesDecideAbout() {
    try (RuledDirectory ruled = new RuledDirectory()) {
      ruled.rules("to all\n  users may read, write");
      ruled.directory.identity = new BoundIdentity(UpdateFixture.dn(UpdateFixture.ANN), false);
      assertThat(codeWithRoom(ruled, Long.MAX_VALUE)).isEqualTo(ResultCode.ASSERTION_FAILED);
      assertThat(codeWithRoom(ruled, 3L * ITEMS * ITEM_BYTES))
          .isEqualTo(ResultCode.ASSERTION_FAILED);
      assertThat(codeWithRoom(ruled, 2L * ITEMS * ITEM_BYTES)).isEqualTo(ResultCode.BUSY);
    }
  }

  /** Returns the result of an update with an assertion whose client has so much memory left. */
  private static ResultCode codeWithRoom(RuledDirectory ruled, long room) {
    RecordingSink sink = new RecordingSink(100);
    Operation operation =
        ruled.directory.operation(
            UpdateFixture.modify(
                List.of(assertion()),
                UpdateFixture.ANN,
                UpdateFixture.change(2, "description", "blue")),
            sink);
    MemoryAccount memory = operation.session().memory();
    long occupied = 0;
    while (room < Long.MAX_VALUE && memory.tryTake(ITEM_BYTES)) {
      occupied += ITEM_BYTES;
    }
    memory.giveBack(Math.min(room, occupied));
    ruled.directory.start(operation);
    end(sink);
    assertThat(memory.held()).isEqualTo(Math.max(0, occupied - room));
    return sink.code();
  }
}
