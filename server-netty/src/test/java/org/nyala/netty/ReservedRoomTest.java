package org.nyala.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.netty.WireSettings.Transport;

/** Memory that is taken for an entry before that is made. */
final class ReservedRoomTest extends NettyLdapServerTestCase {
  private static final int MEBIBYTE = 1 << 20;
  private static final int DONE = 0x65;
  private static final int INTERMEDIATE = 0x79;
  private static final int ENTRY = 0x64;

  private void start(String strategy) throws IOException {
    MemoryBounds bounds = MemoryBounds.of(8 * MEBIBYTE, 90, 90);
    directory.memory = new MemoryBudget(bounds, System::nanoTime);
    start(settings(Transport.AUTO, 0, 0), strategy);
  }

  private static byte[] reserving(int id, int bytes, String then) {
    return Pdus.search(id, ReservingBody.BASE + bytes + "," + then, 0);
  }

  private static int heldAtResult(TestClient client) throws IOException {
    String message = new String(client.receiveBytes(), UTF_8);
    return Integer.parseInt(message.substring(message.indexOf('=') + 1));
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldGiveBackWhatIsReservedForAnEntryThatDoesNotCome(String strategy) throws Exception {
    start(strategy);
    TestClient client = connect();
    client.send(reserving(1, 4 * MEBIBYTE, "none"));
    assertThat(client.receive().tag()).isEqualTo(INTERMEDIATE);
    assertThat(heldAtResult(client)).isZero();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldHoldTheChargeOfAnEntryUntilItIsSent(String strategy) throws Exception {
    start(strategy);
    TestClient client = connect();
    client.send(reserving(1, MEBIBYTE, "parts"));
    assertThat(client.receive().tag()).isEqualTo(ENTRY);
    assertThat(heldAtResult(client)).isEqualTo(MEBIBYTE);
    eventually("all is given back", () -> core.memory().held() == 0);
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldRefuseAnEntryThatFindsNoRoomForTooLong(String strategy) throws Exception {
    start(strategy);
    MemoryAccount other = core.memory().open("other");
    other.take(6 * MEBIBYTE);
    TestClient client = connect();
    client.send(reserving(1, 2 * MEBIBYTE, "none"));
    eventually("it runs", () -> core.metrics().operationsStarted().sum() == 1);
    other.giveBack(2 * MEBIBYTE);
    assertThat(client.receive().tag()).isEqualTo(INTERMEDIATE);
    assertThat(heldAtResult(client)).isZero();
    other.take(2 * MEBIBYTE);
    ServerLimits impatient =
        TestLimits.with(
            ServerLimits.DEFAULT, TestLimits.admission(ServerLimits.SessionLimits.DEFAULT, 1));
    core.reconfigure(impatient);
    assertThat(core.memory().isTight()).isFalse();
    client.send(reserving(2, 2 * MEBIBYTE, "none"));
    assertThat(client.receive()).isEqualTo(new TestClient.Response(2, DONE, 51));
    assertThat(core.memory().refused().sum()).isEqualTo(1);
    other.giveBack(6 * MEBIBYTE);
    other.close();
  }
}
