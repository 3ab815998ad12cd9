package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.netty.WireSettings.Transport;

/** Operations that allocate more than one may, and others meanwhile. */
final class OperationAllocationTest extends NettyLdapServerTestCase {
  static final List<String> OFFERED = DispatchStrategies.OFFERED;

  static final List<String> MEASURED =
      OFFERED.stream().filter(DispatchStrategies::measuresAllocation).toList();

  private static final int DONE = 0x65;
  private static final int MEBIBYTE = 1 << 20;

  private void start(String strategy) throws IOException {
    MemoryBounds bounds = MemoryBounds.of(64 * MEBIBYTE, 50, 50).withOperation(48 * MEBIBYTE);
    directory.memory = new MemoryBudget(bounds, System::nanoTime);
    start(settings(Transport.AUTO, 0, 0), strategy);
  }

  private static byte[] allocating(int id, int mebibytes, String slices) {
    return Pdus.search(id, AllocatingBody.BASE + mebibytes + "," + slices, 0);
  }

  @ParameterizedTest
  @FieldSource("MEASURED")
  void shouldEndOneThatAllocatesTooMuchInItsSlices(String strategy) throws Exception {
    start(strategy);
    try (TestClient hoarder = connect();
        TestClient neighbour = connect()) {
      hoarder.send(allocating(1, 24, "1000000"));
      for (int i = 1; i <= 20; i++) {
        assertThat(neighbour.search(i, 10)).isEqualTo(10);
      }
      assertThat(hoarder.receive()).isEqualTo(new TestClient.Response(1, DONE, 11));
      assertThat(core.memory().operationsEnded().sum()).isEqualTo(1);
      assertThat(hoarder.search(2, 10)).isEqualTo(10);
    }
    eventually("none is noted", () -> core.memory().allocations().isEmpty());
  }

  @ParameterizedTest
  @FieldSource("OFFERED")
  void shouldMeasureTheStrategiesThatItSays(String strategy) throws Exception {
    start(strategy);
    try (TestClient client = connect()) {
      client.send(allocating(1, 24, "12"));
      int code = DispatchStrategies.measuresAllocation(strategy) ? 11 : 0;
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, DONE, code));
    }
  }

  @ParameterizedTest
  @FieldSource("MEASURED")
  void shouldLetGarbagePassThatComesInStream(String strategy) throws Exception {
    start(strategy);
    try (TestClient client = connect()) {
      client.send(allocating(1, 8, "200"));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, DONE, 0));
    }
    assertThat(core.memory().operationsEnded().sum()).isZero();
    eventually("none is noted", () -> core.memory().allocations().isEmpty());
  }

  @Test
  void shouldKeepFromTheWriterWhatHasAllocatedTooMuch() throws Exception {
    start("striped");
    try (TestClient client = connect()) {
      client.send(allocating(1, 128, "writer"));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, DONE, 11));
      client.send(allocating(2, 4, "writer"));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(2, DONE, 0));
    }
    assertThat(core.memory().operationsEnded().sum()).isEqualTo(1);
  }

  @Test
  void shouldEndAnyThatIsAskedTo() throws Exception {
    start("striped");
    try (TestClient client = connect()) {
      client.send(allocating(1, 1, "1000000"));
      eventually("it is noted", () -> !core.memory().allocations().isEmpty());
      core.memory().allocations().forEach(each -> each.endOperation());
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, DONE, 11));
    }
  }
}
