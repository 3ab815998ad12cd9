package org.nyala.netty.accept;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.OwnedSlots;

/** The number of connections that one client may have, and that there may be in all. */
class ConnectionLimiterTest {
  private final LongAdder refused = new LongAdder();
  private final RejectedConnections refusals = new RejectedConnections(refused);
  private final ConnectionLimiter gate = new ConnectionLimiter(refusals, 0, 2);

  private static final class Idle implements OwnedSlots.Tenant {
    private boolean isEvicted;

    @Override
    public OwnedSlots.Use use() {
      return OwnedSlots.Use.IDLE;
    }

    @Override
    public void evict() {
      isEvicted = true;
    }
  }

  private OwnedSlots.@Nullable Slot enter(String address) throws UnknownHostException {
    return gate.enter(InetAddress.getByName(address), new Idle());
  }

  @Test
  void shouldCountAnIpv6NetworkAsOneClient() throws UnknownHostException {
    assertThat(enter("2001:db8:1:2::1")).isNotNull();
    OwnedSlots.Slot second = enter("2001:db8:1:2::2");
    assertThat(enter("2001:db8:1:2::3")).isNull();
    assertThat(enter("2001:db8:1:3::1")).isNotNull();
    assertThat(second).isNotNull();
    gate.leave(second);
    gate.leave(second);
    assertThat(enter("2001:db8:1:2::4")).isNotNull();
    assertThat(enter("2001:db8:1:2::1")).isNull();
    assertThat(gate.count()).isEqualTo(3);
    assertThat(refused.sum()).as("for lack of room in all").isZero();
  }

  @Test
  void shouldCountIpv4AddressesEach() throws UnknownHostException {
    assertThat(enter("192.0.2.1")).isNotNull();
    assertThat(enter("192.0.2.1")).isNotNull();
    assertThat(enter("192.0.2.1")).isNull();
    assertThat(enter("192.0.2.2")).isNotNull();
  }

  @Test
  void shouldCountAConnectionOfAProxyForItsClient() throws UnknownHostException {
    InetAddress client = InetAddress.getByName("192.0.2.1");
    for (int i = 0; i < 3; i++) {
      OwnedSlots.Slot slot = gate.enter(null, new Idle());
      assertThat(slot).isNotNull();
      assertThat(gate.identify(slot, client)).isEqualTo(i < 2);
    }
  }

  @Test
  void shouldMakeRoomForOthersWhereFileDescriptorsHaveRunOut() throws UnknownHostException {
    ConnectionLimiter few = new ConnectionLimiter(refusals, () -> 4, 0, 0);
    InetAddress hoarder = InetAddress.getByName("192.0.2.1");
    Idle oldest = new Idle();
    Idle second = new Idle();
    Idle other = new Idle();
    OwnedSlots.Slot first = few.enter(hoarder, oldest);
    assertThat(few.enter(hoarder, second)).isNotNull();
    assertThat(few.enter(hoarder, new Idle())).isNotNull();
    assertThat(few.enter(InetAddress.getByName("192.0.2.2"), other)).isNotNull();
    assertThat(few.enter(InetAddress.getByName("192.0.2.3"), new Idle())).isNotNull();
    assertThat(oldest.isEvicted).isTrue();
    assertThat(few.count()).as("until it has gone").isEqualTo(5);
    assertThat(first).isNotNull();
    few.leave(first);
    assertThat(few.count()).isEqualTo(4);
    few.relieve();
    assertThat(second.isEvicted).as("for descriptors of others").isTrue();
    assertThat(other.isEvicted).isFalse();
    assertThat(refused.sum()).isZero();
  }
}
