package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.TOP;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory.Client;

/** Tests transactions that are sent at once, and whose requests run in any order. */
class TransactionOrderTest {
  private static final String START = "1.3.6.1.1.21.1";
  private static final String CONTROL = "1.3.6.1.1.21.2";
  private static final String END = "1.3.6.1.1.21.3";

  private final LiveDirectory directory = new LiveDirectory("adaptive", ServerLimits.DEFAULT);
  private final Client root = directory.root();
  private final byte[] transaction = root.extended(START, null).value();
  private final HeldDispatch dispatch = new HeldDispatch();

  @AfterEach
  void close() {
    directory.close();
  }

  private void hold() {
    directory.server.switchTo(dispatch);
  }

  private int sendAdd(String ou, String parent) {
    return root.send(
        new Request.Add(
            root.nextId(),
            "ou=" + ou + "," + parent,
            List.of(
                UpdateFixture.values("objectClass", "organizationalUnit"),
                UpdateFixture.values("ou", ou)),
            List.of(new RequestControl(CONTROL, true, transaction))));
  }

  private int sendEnd() {
    byte[] value = new BerWriter().sequence(new BerWriter().octets(transaction)).toByteArray();
    return root.send(new Request.Extended(root.nextId(), END, value, List.of()));
  }

  /** Runs a waiting task, and delivers its end to the connection. */
  private void run(int index) {
    dispatch.run(index);
    root.inFlight();
  }

  private void runAll() {
    while (dispatch.size() > 0) {
      run(dispatch.size() - 1);
    }
  }

  private ResultCode code(int id) {
    return root.result(id).result().code();
  }

  @Test
  void shouldKeepTheOrderInWhichUpdatesCame() {
    hold();
    int parent = sendAdd("one", TOP);
    int child = sendAdd("two", "ou=one," + TOP);
    int end = sendEnd();
    runAll();
    assertThat(List.of(code(parent), code(child), code(end))).containsOnly(ResultCode.SUCCESS);
    assertThat(directory.store.entries())
        .extracting(entry -> entry.dn().toString())
        .contains("ou=two,ou=one," + TOP);
  }

  @Test
  void shouldComeToTheSameInEveryOrder() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int count = 12;
    hold();
    List<Integer> sent = new ArrayList<>();
    String parent = TOP;
    for (int i = 0; i < count; i++) {
      sent.add(sendAdd("u" + i, parent));
      parent = "ou=u" + i + "," + parent;
    }
    sent.add(sendEnd());
    while (dispatch.size() > 0) {
      run(random.nextInt(dispatch.size()));
    }
    for (int id : sent) {
      assertThat(code(id)).as("-Dtest.seed=%d", seed).isEqualTo(ResultCode.SUCCESS);
    }
    String last = parent;
    assertThat(directory.store.entries())
        .as("-Dtest.seed=%d", seed)
        .anyMatch(entry -> entry.dn().toString().equals(last));
  }

  @Test
  void shouldEndWithoutWhatWasRefusedOrAbandoned() throws Exception {
    hold();
    int abandoned = sendAdd("one", TOP);
    final int refused =
        root.send(
            new Request.Delete(
                root.nextId(), "no name", List.of(new RequestControl(CONTROL, true, transaction))));
    final int missing = sendAdd("two", "ou=one," + TOP);
    int end = sendEnd();
    root.send(new Request.Abandon(root.nextId(), abandoned, List.of()));
    runAll();
    assertThat(code(refused)).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    assertThat(code(missing)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(end)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(BerReader.trusted(root.result(end).value()).sequence().integer()).isEqualTo(missing);
    assertThat(root.find(abandoned)).isNull();
  }

  @Test
  void shouldTakeNothingThatCameAfterTheEnd() {
    hold();
    int first = sendAdd("one", TOP);
    int end = sendEnd();
    int late = sendAdd("two", TOP);
    int again = sendEnd();
    runAll();
    assertThat(code(first)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(late)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(code(end)).isEqualTo(ResultCode.SUCCESS);
    eventually(
        "the second end has run",
        () -> {
          runAll();
          return root.find(again) != null;
        });
    assertThat(code(again)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  @Test
  void shouldLeaveNothingWaitingWhenTheConnectionBreaks() {
    hold();
    sendAdd("one", TOP);
    int end = sendEnd();
    run(1);
    assertThat(dispatch.size()).as("the end of the transaction waits").isEqualTo(1);
    root.breakOff();
    runAll();
    eventually("all has ended", () -> root.inFlight() == 0);
    assertThat(root.find(end)).isNull();
    assertThat(directory.store.entries()).hasSize(6);
  }
}
